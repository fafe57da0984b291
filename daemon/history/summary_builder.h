// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "history/edge_table.h"
#include "history/nested_parts.h"
#include "history/objectives.h"
#include "history/summary.h"

namespace compmond::history {

// Makes one summary of executions and of smaller summaries, which come in the order in which the
// executions closed. `min_end_ns` is that of all of them together.
class SummaryBuilder {
 public:
  SummaryBuilder(uint64_t min_end_ns, const Objectives& objectives)
      : min_end_ns_(min_end_ns), objectives_(objectives) {}

  void add(const trace::Execution& execution);
  void add(const Summary& summary);
  Summary finish();

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  // How often each (operation, bucket) was seen: open addressing, at most half full.
  struct Slot {
    uint32_t row = kNone, bucket = 0;
    uint64_t count = 0;
  };

  uint32_t row_of(trace::OperationId op);
  Summary::Thread& thread(trace::ThreadId id);
  void count(uint32_t row, uint32_t bucket, uint64_t n);
  void add_long(const trace::Execution& execution, uint64_t nested_ns);
  void pack_buckets();

  uint64_t min_end_ns_;
  const Objectives& objectives_;
  Summary out_;
  std::vector<uint32_t> rows_;  // per operation
  std::unordered_map<trace::ThreadId, uint32_t> threads_;
  uint32_t latest_thread_ = 0;  // an index; executions of one thread mostly come together
  EdgeTable edges_;
  NestedParts nested_;
  std::vector<Slot> slots_ = std::vector<Slot>(1024);
  size_t used_ = 0;
};

}  // namespace compmond::history
