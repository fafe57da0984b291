// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tsl/robin_map.h>

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
  static constexpr int kBucketBits = 32 - Summary::kCountBits;
  uint32_t row_of(trace::OperationId op);
  Summary::Thread& thread(trace::ThreadId id);
  void count(uint32_t row, uint32_t bucket, uint64_t n) {
    const uint64_t key = uint64_t(row) << kBucketBits | bucket;
    const auto found = counts_.find(key);
    if (found != counts_.end())
      found.value() += n;
    else
      counts_.emplace(key, n);
  }
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
  // How often each bucket was seen: row << kBucketBits | bucket.
  tsl::robin_map<uint64_t, uint64_t, MixedHash> counts_;
};

}  // namespace compmond::history
