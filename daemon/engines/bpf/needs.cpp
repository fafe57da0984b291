// SPDX-License-Identifier: Apache-2.0
#include "bpf_engine/needs.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "guard/rights.h"

namespace compmond::bpf_engine
{
namespace
{

using engine::Finding;
using engine::Verdict;

constexpr ino_t kFirstPidNamespace = 0xEFFFFFFC; // the same in every kernel: PID_NS_INIT_INO
constexpr const char *kTypes = "/sys/kernel/btf/vmlinux";

Finding types_of_kernel()
{
	if (::access(kTypes, R_OK) == 0)
		return {Verdict::kGood, "kernel types (BTF)", kTypes};
	return {Verdict::kBad, "kernel types (BTF)", "not there",
		"use a kernel built with CONFIG_DEBUG_INFO_BTF=y (all current distributions)"};
}

// Empty where they are the machine's. A kernel without pid namespaces has no such file.
std::string whose_pids()
{
	struct stat st {
	};
	if (::stat("/proc/self/ns/pid", &st) == 0 && st.st_ino != kFirstPidNamespace)
		return "compmond runs in a pid namespace (a container): the kernel's programs know "
		       "processes by other numbers than are seen here";
	std::error_code failed;
	if (std::filesystem::read_symlink("/proc/self", failed) != std::to_string(::getpid()))
		return "/proc is of another pid namespace, or not mounted: it tells other numbers "
		       "of processes than the kernel's programs know";
	return {};
}

constexpr const char *kSharePids = "Run it outside, where it sees the container's processes, or "
				   "in a container that shares the host's (--pid=host).";

// Why its clocks are not the kernel's; empty where they are. A kernel without time namespaces has
// no such file.
std::string whose_time()
{
	std::ifstream file("/proc/self/timens_offsets");
	std::string clock;
	for (long long seconds = 0, ns = 0; file >> clock >> seconds >> ns;)
		if (seconds != 0 || ns != 0)
			return fmt::format("compmond runs in a time namespace, where the {} clock "
					   "tells another time than the kernel's programs do",
					   clock);
	return {};
}

constexpr const char *kShareTime = "Run it outside, or in a container without time offsets.";

bool keeps_memory_secret()
{
	std::ifstream file("/sys/kernel/security/lockdown");
	std::string line;
	std::getline(file, line);
	return line.find("[confidentiality]") != std::string::npos;
}

} // namespace

Result<void> see_what_kernel_sees()
{
	if (const std::string why = whose_pids(); !why.empty())
		return fail(Exit::kUnavailable, "cannot tell targets from strangers", why,
			    kSharePids);
	if (const std::string why = whose_time(); !why.empty())
		return fail(Exit::kUnavailable, "cannot tell when calls were", why, kShareTime);
	return {};
}

bool check_needs(engine::Diagnosis &out)
{
	const bool bpf = guard::holds(CAP_BPF), perfmon = guard::holds(CAP_PERFMON);
	const std::string who = fmt::format("uid {}, CAP_BPF {}, CAP_PERFMON {}", ::geteuid(),
					    bpf ? "yes" : "no", perfmon ? "yes" : "no");
	const bool rights = bpf && perfmon;
	if (!rights)
		out.outcome = Exit::kNoPermission;
	out.findings.push_back({rights ? Verdict::kGood : Verdict::kBad, "rights", who,
				rights ? ""
				       : "run with sudo, or: sudo setcap "
					 "cap_bpf,cap_perfmon,cap_sys_ptrace+ep compmond"});
	const std::string pids = whose_pids(), time = whose_time();
	if (rights && !(pids.empty() && time.empty()))
		out.outcome = Exit::kUnavailable;
	if (!pids.empty())
		out.findings.push_back({Verdict::kBad, "process numbers", pids, kSharePids});
	if (!time.empty())
		out.findings.push_back({Verdict::kBad, "clock", time, kShareTime});
	out.findings.push_back(types_of_kernel());
	if (keeps_memory_secret())
		out.findings.push_back({Verdict::kBad, "lockdown",
					"confidentiality: BPF may not read user memory",
					"boot with lockdown=integrity or none"});
	return rights && pids.empty() && time.empty();
}

} // namespace compmond::bpf_engine
