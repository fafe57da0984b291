// SPDX-License-Identifier: Apache-2.0
#include "trampolines/recorder.h"

#include <cstring>

#include "trampolines/recording.h"

extern "C" {
extern const uint8_t compmond_recorder[], compmond_recorder_of_value[], compmond_recorder_facts[],
    compmond_recorder_end[];
extern const compmond::inprocess::RecorderStep compmond_recorder_steps[],
    compmond_recorder_steps_end[];
}

namespace compmond::inprocess {

std::vector<uint8_t> recorder(const RecorderFacts& facts) {
  std::vector<uint8_t> out(compmond_recorder, compmond_recorder_end);
  std::memcpy(&out[size_t(compmond_recorder_facts - compmond_recorder)], &facts, sizeof facts);
  return out;
}

size_t recorder_of_value() { return size_t(compmond_recorder_of_value - compmond_recorder); }

std::span<const RecorderStep> recorder_steps() {
  return {compmond_recorder_steps, compmond_recorder_steps_end};
}

std::span<const uint8_t> recorder_code() { return {compmond_recorder, compmond_recorder_facts}; }

}  // namespace compmond::inprocess
