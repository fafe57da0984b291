// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"

namespace compmond::bpf_engine
{

// Keeps what libbpf says on this thread from now on, for load_error(). Before programs are opened.
void listen_to_libbpf();

// Why the kernel did not take the programs: Exit::kNoPermission where rights are lacking, with how
// to get them; else Exit::kUnavailable with what libbpf and the verifier said and what to do
// `next`. (EACCES is the verifier's: of rights the kernel says EPERM.)
Unexpected load_error(std::string what, int err, std::string next);

// The line that names the program which was not taken, and the verifier's last word on it.
std::string reason_in(const std::string &log);

} // namespace compmond::bpf_engine
