// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "plan/plan.h"

namespace compmond::plan {

// "ns::f<int>" of "void ns::f[abi:cxx11]<int>(int) const": without return type, parameters,
// qualifiers and ABI tags.
std::string plain_name(const std::string& demangled);

// Gives operations of one component that share a display name the full demangled one, and those
// that still do (file-local functions, several images) their place too.
void make_names_unique(Plan& plan);

}  // namespace compmond::plan
