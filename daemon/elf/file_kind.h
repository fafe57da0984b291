// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

namespace compmond::elf {

// What a file is that is not an x86-64 ELF executable or library, judged by its first bytes ("a
// shell script run by /bin/sh", "a 32-bit ELF file", …); empty when it is one.
std::string foreign_kind(std::span<const unsigned char> head);

}  // namespace compmond::elf
