// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include "base/result.h"
#include "engine/targets.h"

struct bpf_map;

// What engines have in common whose programs run in the kernel.
namespace compmond::bpf_engine
{

// As the kernel numbers devices; 0 of 0.
uint32_t kernel_device(uint64_t st_dev);

// The knobs of targets.h in the programs' read-only data, before they are loaded.
template <class Knobs> void set_rule(Knobs &knobs, const engine::TargetRule &rule)
{
	knobs.follow_forks = rule.follow_forks;
	knobs.all_of_exe = rule.all_of_exe;
	for (size_t i = 0; i < std::min(rule.programs.size(), std::size(knobs.exe_inodes)); ++i) {
		knobs.exe_inodes[i] = rule.programs[i].inode;
		knobs.exe_devs[i] = kernel_device(rule.programs[i].device);
	}
	knobs.of_user = rule.user.has_value();
	knobs.exe_user = rule.user.value_or(0);
	knobs.exe_pid_namespace = rule.pid_namespace;
	knobs.exe_cgroup = rule.cgroup;
}

// Who is observed: the map `targets` of targets.h, which programs change as well. Any thread.
class TargetMap
{
      public:
	// That may be observed at once: no more than there can be threads on this machine.
	static uint32_t places();
	// Before the programs are loaded: room for as many. 0 or -errno.
	static int size(bpf_map *targets);
	explicit TargetMap(const bpf_map *targets); // loaded, and borrowed

	// One that is there stays as it is. Exit::kUnavailable where there is no room.
	Result<void> add(pid_t pid, uint64_t since_ns); // CLOCK_MONOTONIC
	void remove(pid_t pid);
	std::optional<uint64_t> since(pid_t pid) const;
	std::vector<pid_t> all() const;
	bool any() const;

      private:
	int map_;
};

} // namespace compmond::bpf_engine
