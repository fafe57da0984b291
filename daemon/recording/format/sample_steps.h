// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

// What both ends of the codec of samples agree on, beside sample_block.h.
namespace compmond::recording {

using Process = std::pair<uint32_t, uint32_t>;  // pid, tid

// The first byte of a step.
inline constexpr uint8_t kStepMask = 3, kOnCpu = 0, kOffCpu = 1, kStretch = 2;
inline constexpr uint8_t kEndedShift = 2, kEndedMask = 3, kInKernel = 0x10, kInProbe = 0x20,
                         kSampleBits = 0x3f;
inline constexpr uint8_t kWaitsSampled = 4, kSeesProbes = 8,
                         kStretchBits = kStretch | kWaitsSampled | kSeesProbes;

}  // namespace compmond::recording
