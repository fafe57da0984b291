// SPDX-License-Identifier: Apache-2.0
#include "bpf_engine/uprobe_event.h"

#include <link.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <span>

namespace compmond::bpf_engine
{
namespace
{

// A small number from a file of /sys, or -1.
int sys_number(const char *path, const char *format)
{
	std::FILE *file = std::fopen(path, "re");
	if (!file)
		return -1;
	int value = -1;
	if (std::fscanf(file, format, &value) != 1)
		value = -1;
	std::fclose(file);
	return value;
}

} // namespace

Fd open_uprobe_event(const std::string &path, uint64_t offset, bool at_return, pid_t pid)
{
	static const int type = sys_number("/sys/bus/event_source/devices/uprobe/type", "%d");
	static const int bit =
		sys_number("/sys/bus/event_source/devices/uprobe/format/retprobe", "config:%d");
	if (type < 0 || bit < 0) {
		errno = EOPNOTSUPP;
		return Fd();
	}
	perf_event_attr attr{};
	attr.size = sizeof attr;
	attr.type = uint32_t(type);
	attr.config = at_return ? 1ull << bit : 0;
	attr.config1 = reinterpret_cast<uint64_t>(path.c_str());
	attr.config2 = offset;
	// A uprobe event of one process follows it to any CPU; one of all processes fires on every
	// CPU whichever is named.
	return Fd(int(::syscall(SYS_perf_event_open, &attr, pid ? pid : -1, pid ? -1 : 0, -1,
				PERF_FLAG_FD_CLOEXEC)));
}

// The first object of dl_iterate_phdr.
uint64_t own_offset(const void *address)
{
	struct Query {
		uint64_t address, offset;
	} query{reinterpret_cast<uint64_t>(address), 0};
	::dl_iterate_phdr(
		[](dl_phdr_info *info, size_t, void *out) {
			auto &[wanted, offset] = *static_cast<Query *>(out);
			for (const ElfW(Phdr) & segment :
			     std::span(info->dlpi_phdr, info->dlpi_phnum)) {
				const uint64_t begin = info->dlpi_addr + segment.p_vaddr;
				if (segment.p_type == PT_LOAD && wanted >= begin &&
				    wanted - begin < segment.p_filesz)
					offset = segment.p_offset + (wanted - begin);
			}
			return 1;
		},
		&query);
	return query.offset;
}

} // namespace compmond::bpf_engine
