// SPDX-License-Identifier: Apache-2.0
#include "bpf_engine/load_error.h"

#include <cstring>
#include <utility>

namespace compmond::bpf_engine
{

Unexpected load_error(std::string what, int err, std::string next, const std::string &said)
{
	if (is_permission(err))
		return fail_errno(
			Exit::kNoPermission, std::move(what), err,
			"Run as root (sudo), or give the program CAP_BPF and CAP_PERFMON.");
	return fail(Exit::kUnavailable, std::move(what),
		    std::strerror(err) + (said.empty() ? "" : " (" + said + ")"), std::move(next));
}

} // namespace compmond::bpf_engine
