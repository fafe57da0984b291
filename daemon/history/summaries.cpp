// SPDX-License-Identifier: Apache-2.0
#include "history/summaries.h"

#include <algorithm>
#include <utility>

#include "history/summary_builder.h"

namespace compmond::history {
namespace {

// A summary larger than this part of its executions is no gain.
constexpr size_t kLargestPart = 4;
constexpr size_t kExecutionBytes = 32;

void extend(Extent& extent, const Extent& by) {
  extent.end = by.end;
  extent.min_start_ns = std::min(extent.min_start_ns, by.min_start_ns);
  extent.min_end_ns = std::min(extent.min_end_ns, by.min_end_ns);
  extent.max_end_ns = std::max(extent.max_end_ns, by.max_end_ns);
}

}  // namespace

// Chunks are described once each, as soon as they are full; so are the coarser nodes that they
// complete.
void Summaries::take_in_new_chunks() {
  Level& chunks = levels_[0];
  const uint64_t oldest = ring_.oldest_chunk();
  if (chunks.first + chunks.nodes.size() < oldest) {  // nobody looked for a whole turn of the ring
    drop_old_chunks();
    for (Level& level : levels_) level = {};
    bytes_ = 0;
  }
  if (chunks.nodes.empty()) chunks.first = oldest;
  for (;;) {
    const uint64_t chunk = chunks.first + chunks.nodes.size();
    Node node;
    if (!ring_.describe(chunk, node.extent)) return;
    chunks.nodes.push_back(std::move(node));
    for (int i = 1; i < kLevels; ++i) {
      const uint64_t size = uint64_t(1) << (kFanOutBits * i);
      if ((chunk + 1) % size != 0 || chunk + 1 - size < chunks.first) break;
      Level& level = levels_[size_t(i)];
      if (level.nodes.empty()) level.first = chunk / size;
      Node& sum = level.nodes.emplace_back();
      sum.extent = find(0, chunk + 1 - size)->extent;
      for (uint64_t n = chunk + 2 - size; n <= chunk; ++n) extend(sum.extent, find(0, n)->extent);
    }
  }
}

void Summaries::drop_old_chunks() {
  const uint64_t oldest = ring_.oldest_chunk();
  for (int i = 0; i < kLevels; ++i) {
    Level& level = levels_[size_t(i)];
    while (!level.nodes.empty() && level.first << (kFanOutBits * i) < oldest) {
      if (const Summary* gone = level.nodes.front().summary.get()) bytes_ -= gone->memory_bytes();
      level.nodes.pop_front();
      ++level.first;
    }
  }
}

Summaries::Node* Summaries::find(int level, uint64_t index) {
  Level& at = levels_[size_t(level)];
  return index >= at.first && index - at.first < at.nodes.size() ? &at.nodes[index - at.first]
                                                                 : nullptr;
}

// Adds a node's executions to the builder; false when some of them are gone.
bool Summaries::build(SummaryBuilder& builder, int level, uint64_t index) {
  if (const Summary* made = summary(level, index)) return builder.add(*made), true;
  if (level > 0) {
    for (uint64_t i = 0; i < uint64_t(1) << kFanOutBits; ++i)
      if (!build(builder, level - 1, (index << kFanOutBits) + i)) return false;
    return true;
  }
  const auto add = [](void* to, std::span<const trace::Execution> executions) {
    for (const trace::Execution& e : executions) static_cast<SummaryBuilder*>(to)->add(e);
  };
  const Extent& extent = find(0, index)->extent;
  return ring_.scan_chunk(index, 0, UINT64_MAX, add, &builder) == extent.end - extent.first;
}

const Summary* Summaries::summary(int level, uint64_t index) {
  Node& node = *find(level, index);
  if (node.tried) return node.summary.get();
  node.tried = true;
  SummaryBuilder builder(node.extent.min_end_ns, objectives_);
  bool whole = true;
  if (level == 0) {
    whole = build(builder, 0, index);  // it has been tried, so from single executions
  } else {
    for (uint64_t i = 0; whole && i < uint64_t(1) << kFanOutBits; ++i)
      whole = build(builder, level - 1, (index << kFanOutBits) + i);
  }
  if (!whole) return nullptr;
  auto made = std::make_unique<const Summary>(builder.finish());
  const size_t bytes = made->memory_bytes();
  const size_t executions = node.extent.end - node.extent.first;
  if (bytes > executions * kExecutionBytes / kLargestPart || bytes_ + bytes > budget_bytes_)
    return nullptr;
  bytes_ += bytes;
  node.summary = std::move(made);
  return node.summary.get();
}

void Summaries::visit_chunk(const Walk& walk, uint64_t chunk) {
  const auto hand_on = [](void* to, std::span<const trace::Execution> executions) {
    static_cast<Visitor*>(to)->on_executions(executions);
  };
  ring_.scan_chunk(chunk, walk.first, walk.end, hand_on, &walk.visitor);
}

void Summaries::visit(const Walk& walk, int level, uint64_t index) {
  const Node& node = *find(level, index);
  const Extent& extent = node.extent;
  if (extent.overlap(walk.first, walk.end) == 0) return;
  const Take take = walk.visitor.wants(extent);
  if (take == Take::kNothing) return;
  const bool all = extent.first >= walk.first && extent.end <= walk.end;
  if (take == Take::kSummary && all) {
    if (const Summary* made = summary(level, index)) return walk.visitor.on_summary(extent, *made);
  }
  if (level == 0) return visit_chunk(walk, index);
  for (uint64_t i = 0; i < uint64_t(1) << kFanOutBits; ++i)
    visit(walk, level - 1, (index << kFanOutBits) + i);
}

void Summaries::walk(uint64_t first, uint64_t end, Visitor& visitor) {
  const std::lock_guard lock(mutex_);
  drop_old_chunks();
  take_in_new_chunks();
  const Walk walk{first, end, visitor};
  uint64_t chunk = levels_[0].first;
  const uint64_t full = chunk + levels_[0].nodes.size();
  while (chunk < full) {
    int level = kLevels - 1;
    const auto there = [&](int l) {
      const uint64_t size = uint64_t(1) << (kFanOutBits * l);
      return chunk % size == 0 && find(l, chunk / size) != nullptr;
    };
    while (!there(level)) --level;
    visit(walk, level, chunk >> (kFanOutBits * level));
    chunk += uint64_t(1) << (kFanOutBits * level);
  }
  // What is not full, and what has become full since.
  for (const uint64_t newest = ring_.newest_chunk(); chunk <= newest && chunk > 0; ++chunk)
    visit_chunk(walk, chunk);
}

}  // namespace compmond::history
