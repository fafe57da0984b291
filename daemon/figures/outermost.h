// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "trace/execution.h"

namespace compmond::figures {

// The raw time of components where a filter takes some of their operations: that of the executions
// below which, on their thread, no other that passes is of the same component. Which these are is
// only known when all below have been seen: executions come in the order in which they closed,
// the open ones at last, the innermost first. Memory in proportion to the traces under way.
class Outermost {
 public:
  explicit Outermost(size_t components) : raw_ns_(components) {}

  // One that passes: `raw_ns` is the part of it that counts.
  void add(int component, const trace::Begun& execution, uint64_t raw_ns);
  // One of the trace's that does not, at the bottom of its thread: none below follows.
  void end_of(const trace::Begun& bottom) { settle(key(bottom)); }
  // Per component; nothing may follow.
  std::vector<uint64_t> finish();

 private:
  using Key = std::pair<trace::ThreadId, uint64_t>;
  struct Part {
    int component;
    uint64_t start_ns, raw_ns;
  };
  static Key key(const trace::Begun& e) { return {e.thread, e.trace_id}; }
  void settle(const Key& key);

  std::map<Key, std::vector<Part>> open_;  // the outermost so far, in order of their ends
  std::vector<uint64_t> raw_ns_;
};

}  // namespace compmond::figures
