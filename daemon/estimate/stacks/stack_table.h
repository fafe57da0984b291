// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tsl/robin_map.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "sampling/sample.h"
#include "stacks/attribution.h"

namespace compmond::estimate {

// Made of a stack's content, so that one that was forgotten and is met again has its old number.
using StackId = uint64_t;

// Each distinct stack once, with what it counts for, in at most so many bytes: then those that were
// met longest ago are forgotten. Not for several threads at once.
class StackTable {
 public:
  struct Stack {
    StackId id = 0;
    sampling::Ended ended = sampling::Ended::kComplete;
    std::vector<sampling::Frame> frames;           // innermost first
    std::shared_ptr<const Attributed> attributed;  // never null
  };

  explicit StackTable(size_t bytes) : most_bytes_(bytes) {}

  // The reference holds until the next call. `attribution` is asked once per distinct stack.
  const Stack& intern(std::span<const sampling::Frame> frames, sampling::Ended ended,
                      const Attribution& attribution);
  const Stack* find(StackId id) const;  // null: forgotten; does not count as met

  // Of operations on the same stack with none between them: caller and callee, of all that was met.
  const std::set<std::pair<uint32_t, uint32_t>>& callers() const { return callers_; }
  size_t size() const { return stacks_.size(); }
  uint64_t forgotten() const { return forgotten_; }
  size_t memory_bytes() const;

 private:
  using Order = std::list<Stack>;  // the latest first

  void forget_some();

  size_t most_bytes_;
  size_t bytes_ = 0;  // of the stacks, the table not counted
  uint64_t forgotten_ = 0;
  Order order_;
  tsl::robin_map<StackId, Order::iterator> stacks_;
  std::set<std::pair<uint32_t, uint32_t>> callers_;
};

}  // namespace compmond::estimate
