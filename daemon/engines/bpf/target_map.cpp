// SPDX-License-Identifier: Apache-2.0
#include "bpf_engine/target_map.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/safe_file.h"
#include "core/limits.h"

namespace compmond::bpf_engine
{

uint32_t kernel_device(uint64_t st_dev)
{
	return uint32_t(major(st_dev)) << 20 | uint32_t(minor(st_dev));
}

uint32_t TargetMap::places()
{
	const auto text = read_file("/proc/sys/kernel/threads-max", 64);
	const uint64_t threads = text ? std::strtoull(text->c_str(), nullptr, 10) : 0;
	return threads > 0 ? uint32_t(std::min<uint64_t>(threads, limits::kTargetProcesses))
			   : limits::kTargetProcesses;
}

int TargetMap::size(bpf_map *targets)
{
	return bpf_map__set_max_entries(targets, places());
}

TargetMap::TargetMap(const bpf_map *targets) : map_(bpf_map__fd(targets))
{
}

Result<void> TargetMap::add(pid_t pid, uint64_t since_ns)
{
	const uint32_t key = uint32_t(pid);
	if (bpf_map_update_elem(map_, &key, &since_ns, BPF_NOEXIST) == 0 || errno == EEXIST)
		return {};
	return fail_errno(Exit::kUnavailable, fmt::format("cannot observe process {}", pid), errno,
			  "Observe fewer processes at once.");
}

void TargetMap::remove(pid_t pid)
{
	const uint32_t key = uint32_t(pid);
	bpf_map_delete_elem(map_, &key);
}

std::optional<uint64_t> TargetMap::since(pid_t pid) const
{
	const uint32_t key = uint32_t(pid);
	uint64_t since_ns = 0;
	if (bpf_map_lookup_elem(map_, &key, &since_ns) != 0)
		return std::nullopt;
	return since_ns;
}

std::vector<pid_t> TargetMap::all() const
{
	std::vector<pid_t> out;
	uint32_t key = 0;
	for (int err = bpf_map_get_next_key(map_, nullptr, &key);
	     err == 0 && out.size() < limits::kTargetProcesses;
	     err = bpf_map_get_next_key(map_, &key, &key))
		out.push_back(pid_t(key));
	return out;
}

bool TargetMap::any() const
{
	uint32_t key = 0;
	return bpf_map_get_next_key(map_, nullptr, &key) == 0;
}

} // namespace compmond::bpf_engine
