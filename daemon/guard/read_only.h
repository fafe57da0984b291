// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace compmond::guard {

// In a fresh child: this process, and the program that it is about to execute, can from now on open
// files for reading, use memory, and write to the standard output; nothing else, and for good. Its
// other descriptors are closed. As root it becomes the user who invoked sudo, else nobody; where
// that user may not read `file`, the owner of `file`, still without a capability. Returns what
// failed, for people; empty when that is so.
std::string only_read(const std::string& file);

}  // namespace compmond::guard
