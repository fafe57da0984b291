// SPDX-License-Identifier: Apache-2.0
#include "stacks/stack_table.h"

#include <algorithm>

#include "base/hash_mix.h"

namespace compmond::estimate {

namespace {

StackId hash(std::span<const sampling::Frame> frames, sampling::Ended ended) {
  uint64_t out = uint64_t(ended) + 1;
  for (const sampling::Frame& frame : frames)
    out = hash_mix(hash_mix(out, frame.image), frame.vaddr);
  return out;
}

size_t bytes_of(const StackTable::Stack& stack) {
  constexpr size_t kBlocks = 80;  // what the allocator adds to the blocks of one stack
  return sizeof stack + 2 * sizeof(void*) + sizeof(Attributed) + kBlocks +
         stack.frames.capacity() * sizeof(sampling::Frame) +
         (stack.attributed->own.capacity() + stack.attributed->within.capacity()) * sizeof(Key);
}

}  // namespace

const StackTable::Stack& StackTable::intern(std::span<const sampling::Frame> frames,
                                            sampling::Ended ended, const Attribution& attribution) {
  for (StackId id = hash(frames, ended);; ++id) {  // the next one where two have the same
    const auto found = stacks_.find(id);
    if (found == stacks_.end()) {
      order_.push_front({id, ended, {frames.begin(), frames.end()}, nullptr});
      Stack& stack = order_.front();
      stack.attributed = std::make_shared<const Attributed>(attribution.attribute(frames, ended));
      const std::vector<int> operations = attribution.operations_on(frames);
      for (size_t i = 1; i < operations.size(); ++i)
        callers_.emplace(uint32_t(operations[i]), uint32_t(operations[i - 1]));
      bytes_ += bytes_of(stack);
      stacks_[id] = order_.begin();
      forget_some();
      return order_.front();
    }
    const Order::iterator stack = found->second;
    if (stack->ended != ended || !std::ranges::equal(stack->frames, frames)) continue;
    order_.splice(order_.begin(), order_, stack);
    return *stack;
  }
}

void StackTable::forget_some() {
  while (order_.size() > 1 && memory_bytes() > most_bytes_) {
    bytes_ -= bytes_of(order_.back());
    stacks_.erase(order_.back().id);
    order_.pop_back();
    ++forgotten_;
  }
}

const StackTable::Stack* StackTable::find(StackId id) const {
  const auto found = stacks_.find(id);
  return found == stacks_.end() ? nullptr : &*found->second;
}

size_t StackTable::memory_bytes() const {
  // A bucket is a pair and a word.
  constexpr size_t kBucket = sizeof(std::pair<StackId, Order::iterator>) + sizeof(uint64_t);
  return bytes_ + stacks_.bucket_count() * kBucket;
}

}  // namespace compmond::estimate
