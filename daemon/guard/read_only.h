// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace compmond::guard {

// In a fresh child: this process, and what it executes, can from now on open files for reading, use
// memory, and write to the standard output; nothing else, and for good. Its other descriptors are
// closed. As root it becomes a user who may read `file`, never with a capability: nobody, else who
// invoked sudo, else the owner of `file`; root only where none but root could have put it there.
// `file` is an absolute path without links. Returns what failed, for people; empty when it is so.
std::string only_read(const std::string& file);

}  // namespace compmond::guard
