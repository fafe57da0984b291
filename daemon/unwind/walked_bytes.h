// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/limits.h"
#include "sampling/unwinder.h"

// What the child answers, which may be anything: it reads other people's files.
namespace compmond::unwind {

constexpr size_t kWalkedFrames = 512;
constexpr size_t kFrameBytes = sizeof(uint32_t) + sizeof(uint64_t);
constexpr size_t kFunctionBytes =
    sizeof(uint32_t) + 3 * sizeof(uint64_t) + limits::kFunctionNameBytes;
// The most of one stack.
constexpr size_t kWalkedBytes =
    1 + sizeof(uint64_t) + 2 * sizeof(uint32_t) + kWalkedFrames * (kFrameBytes + kFunctionBytes);

// Exactly so many stacks, and nothing else; names are made harmless. False: it is none.
bool read_walked(std::string_view bytes, std::span<sampling::Walked> out);

}  // namespace compmond::unwind
