// SPDX-License-Identifier: Apache-2.0
#include "unwind/moved_places.h"

#include <cstring>

namespace compmond::unwind {
namespace {

constexpr size_t kStackPointer = 7, kPlace = CM_REGISTERS - 1;  // in DWARF's order
constexpr size_t kWord = sizeof(uint64_t);

bool pop(sampling::RawSample& sample, cm_sample& head, size_t bytes) {
  if (bytes > sample.stack.size()) return false;
  sample.stack = sample.stack.subspan(bytes);
  head.registers[kStackPointer] += bytes;
  head.stack_bytes -= uint32_t(bytes);
  return true;
}

}  // namespace

bool move_back(sampling::RawSample& sample, cm_sample& head, const sampling::MovedCodes& codes) {
  auto code = codes.find(head.pid, head.registers[kPlace]);
  if (!code) return false;
  sampling::RawSample out = sample;
  cm_sample there = head;
  if (code->called) {
    if (!pop(out, there, code->depth) || out.stack.size() < kWord) return false;
    std::memcpy(&there.registers[kPlace], out.stack.data(), kWord);
    code = codes.find(there.pid, there.registers[kPlace]);
    if (!pop(out, there, kWord) || !code || code->called) return false;
  }
  if (!pop(out, there, code->depth)) return false;
  there.registers[kPlace] = code->original;
  head = there;
  sample = out;
  sample.head = &head;
  return true;
}

void MovedPlaces::walk(
    std::span<const sampling::RawSample> samples,
    const std::function<void(size_t index, const sampling::Walked& walked)>& take) {
  if (!codes_) return unwinder_.walk(samples, take);
  samples_.assign(samples.begin(), samples.end());
  heads_.clear();
  heads_.reserve(samples.size());  // they are pointed to
  for (sampling::RawSample& sample : samples_) {
    heads_.push_back(*sample.head);
    move_back(sample, heads_.back(), *codes_);
  }
  unwinder_.walk(samples_, take);
}

}  // namespace compmond::unwind
