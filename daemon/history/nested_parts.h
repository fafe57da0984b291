// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace compmond::history {

// Raw times of closed executions on their way to the execution in which they are directly nested.
// Executions come in the order in which they closed, so nested ones before the one around them: one
// sum per thread and depth. Sums are modulo 2^64, so a correction may be negative.
class NestedParts {
 public:
  void add(uint32_t thread, uint64_t trace_id, uint32_t depth, uint64_t ns) {
    Part& part = at(thread, depth);
    if (part.trace_id != trace_id) part = {trace_id, 0};
    part.ns += ns;
  }
  // What has come together at `depth` of the trace; starts again from 0.
  uint64_t take(uint32_t thread, uint64_t trace_id, uint32_t depth) {
    Part& part = at(thread, depth);
    const uint64_t ns = part.trace_id == trace_id ? part.ns : 0;
    part = {};
    return ns;
  }
  // Calls visit(thread, trace id, depth, ns) for all that was not taken.
  template <class Visit>
  void each(Visit&& visit) const {
    for (const auto& [thread, parts] : threads_)
      for (uint32_t depth = 0; depth < parts.size(); ++depth)
        if (parts[depth].ns != 0) visit(thread, parts[depth].trace_id, depth, parts[depth].ns);
  }

 private:
  struct Part {
    uint64_t trace_id = 0;
    uint64_t ns = 0;
  };
  Part& at(uint32_t thread, uint32_t depth) {
    if (!latest_ || thread != latest_thread_) {
      latest_ = &threads_[thread];
      latest_thread_ = thread;
    }
    if (depth >= latest_->size()) latest_->resize(depth + 1);
    return (*latest_)[depth];
  }

  std::unordered_map<uint32_t, std::vector<Part>> threads_;
  std::vector<Part>* latest_ = nullptr;
  uint32_t latest_thread_ = 0;
};

}  // namespace compmond::history
