// SPDX-License-Identifier: Apache-2.0
#include "history/summary_builder.h"

#include <algorithm>
#include <utility>

#include "history/histogram.h"

namespace compmond::history {
namespace {

using trace::Execution;

static_assert(Histogram::kBuckets <= size_t(1) << (32 - Summary::kCountBits));

}  // namespace

uint32_t SummaryBuilder::row_of(trace::OperationId op) {
  if (op >= rows_.size()) rows_.resize(op + 1, kNone);
  if (rows_[op] == kNone) {
    rows_[op] = uint32_t(out_.operations.size());
    out_.operations.emplace_back().op = op;
  }
  return rows_[op];
}

Summary::Thread& SummaryBuilder::thread(trace::ThreadId id) {
  if (latest_thread_ < out_.threads.size() && out_.threads[latest_thread_].thread == id)
    return out_.threads[latest_thread_];
  const auto [at, fresh] = threads_.try_emplace(id, uint32_t(out_.threads.size()));
  if (fresh) out_.threads.push_back({{}, id});
  latest_thread_ = at->second;
  return out_.threads[latest_thread_];
}

void SummaryBuilder::add_long(const Execution& e, uint64_t nested_ns) {
  if (e.start_ns < min_end_ns_ || nested_ns != e.nested_ns) out_.longs.push_back({e, nested_ns});
}

void SummaryBuilder::add(const Execution& e) {
  const uint32_t index = row_of(e.op);
  Summary::Operation& row = out_.operations[index];
  row.begin(e.flags);
  const uint64_t raw = row.close(e);
  if (objectives_.missed(e)) row.violate(e.reason);
  edges_.at(e.caller, e.op) += EdgeSums::of(1, e.flags, raw);
  thread(e.thread) += {1, e.caller == trace::kNoOperation ? raw : 0};
  if (e.flags & trace::kEntryOnly) return;
  count(index, uint32_t(Histogram::bucket_of(raw)), 1);
  add_long(e, nested_.take(e.thread, e.trace_id, e.ess + 1u));
  nested_.add(e.thread, e.trace_id, e.ess, raw);
}

void SummaryBuilder::add(const Summary& summary) {
  const Summary::Bucket* bucket = summary.buckets.data();
  for (const Summary::Operation& from : summary.operations) {
    const uint32_t index = row_of(from.op);
    out_.operations[index] += from;
    for (const auto* end = bucket + from.buckets; bucket < end; ++bucket)
      count(index, Summary::bucket(*bucket), Summary::count(*bucket));
  }
  for (const EdgeTotals& from : summary.edges) edges_.at(from.caller, from.callee) += from;
  for (const Summary::Thread& from : summary.threads) thread(from.thread) += from;
  for (const Summary::Long& from : summary.longs) {
    const Execution& e = from.execution;
    add_long(e, from.nested_ns + nested_.take(e.thread, e.trace_id, e.ess + 1u));
  }
  for (const Summary::Part& part : summary.parts)
    nested_.add(part.thread, part.trace_id, part.depth, part.ns);
}

// Sorts the buckets by operation, and splits counts that need more bits.
void SummaryBuilder::pack_buckets() {
  const auto each = [this](auto&& visit) {
    for (const auto& [key, seen] : counts_) {
      const auto row = uint32_t(key >> kBucketBits);
      for (uint64_t left = seen; left > 0;) {
        const auto count = uint32_t(std::min<uint64_t>(left, Summary::kMaxCount));
        visit(row, uint32_t(key) << Summary::kCountBits | count);
        left -= count;
      }
    }
  };
  each([this](uint32_t row, Summary::Bucket) { ++out_.operations[row].buckets; });
  std::vector<uint32_t> next;
  uint32_t total = 0;
  for (const Summary::Operation& row : out_.operations) {
    next.push_back(total);
    total += row.buckets;
  }
  out_.buckets.resize(total);
  each([&](uint32_t row, Summary::Bucket bucket) { out_.buckets[next[row]++] = bucket; });
}

Summary SummaryBuilder::finish() {
  pack_buckets();
  out_.edges = edges_.edges();
  nested_.each([this](uint32_t thread, uint64_t trace_id, uint32_t depth, uint64_t ns) {
    out_.parts.push_back({thread, depth, trace_id, ns});
  });
  out_.operations.shrink_to_fit();
  out_.threads.shrink_to_fit();
  out_.longs.shrink_to_fit();
  out_.parts.shrink_to_fit();
  return std::move(out_);
}

}  // namespace compmond::history
