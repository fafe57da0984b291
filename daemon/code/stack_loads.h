// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "code/memory.h"
#include "elf/image.h"

namespace compmond::code {

// Tells every place in the code of `image`, by address, where bytes stand that could be an
// instruction that loads %rsp with something else than an address by %rsp or %rbp: mov, add, lea,
// xchg and pop to %rsp; and the section that it is in. Ends where `tell` says false.
void for_each_stack_load(
    const elf::Image& image, const Memory& memory,
    const std::function<bool(uint64_t vaddr, const elf::Image::Range& section)>& tell);

}  // namespace compmond::code
