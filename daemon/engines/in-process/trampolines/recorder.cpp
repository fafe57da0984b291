// SPDX-License-Identifier: Apache-2.0
#include "trampolines/recorder.h"

#include <cstring>

#include "trampolines/recording.h"

extern "C" {
extern const uint8_t compmond_recorder[], compmond_recorder_facts[], compmond_recorder_end[];
}

namespace compmond::inprocess {

std::vector<uint8_t> recorder(const RecorderFacts& facts) {
  std::vector<uint8_t> out(compmond_recorder, compmond_recorder_end);
  std::memcpy(&out[size_t(compmond_recorder_facts - compmond_recorder)], &facts, sizeof facts);
  return out;
}

}  // namespace compmond::inprocess
