// SPDX-License-Identifier: Apache-2.0
#include "bpf_engine/needs.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "guard/rights.h"

namespace compmond::bpf_engine
{
namespace
{

using engine::Finding;
using engine::Verdict;

constexpr const char *kTypes = "/sys/kernel/btf/vmlinux";

Finding types_of_kernel()
{
	if (::access(kTypes, R_OK) == 0)
		return {Verdict::kGood, "kernel types (BTF)", kTypes};
	return {Verdict::kBad, "kernel types (BTF)", "not there",
		"use a kernel built with CONFIG_DEBUG_INFO_BTF=y (all current distributions)"};
}

bool keeps_memory_secret()
{
	std::ifstream file("/sys/kernel/security/lockdown");
	std::string line;
	std::getline(file, line);
	return line.find("[confidentiality]") != std::string::npos;
}

} // namespace

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
	out.findings.push_back(types_of_kernel());
	if (keeps_memory_secret())
		out.findings.push_back({Verdict::kBad, "lockdown",
					"confidentiality: BPF may not read user memory",
					"boot with lockdown=integrity or none"});
	return rights;
}

} // namespace compmond::bpf_engine
