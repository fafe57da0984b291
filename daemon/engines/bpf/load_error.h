// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"

namespace compmond::bpf_engine
{

// Why the kernel did not take the programs: Exit::kNoPermission where rights are lacking, with how
// to get them; else Exit::kUnavailable with what it `said` and what to do `next`.
Unexpected load_error(std::string what, int err, std::string next, const std::string &said = {});

} // namespace compmond::bpf_engine
