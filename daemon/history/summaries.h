// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>

#include "history/execution_ring.h"
#include "history/objectives.h"
#include "history/summary.h"

namespace compmond::history {

// What a reader wants of a stretch of executions.
enum class Take {
  kNothing,  // none of them matters
  kSummary,  // their summary will do
  kSingle,   // each of them
};

// Looks at the retained executions in the order in which they closed, stretch by stretch.
class Visitor {
 public:
  virtual ~Visitor() = default;
  virtual Take wants(const Extent& extent) = 0;
  virtual void on_summary(const Extent& extent, const Summary& summary) = 0;
  virtual void on_executions(std::span<const trace::Execution> executions) = 0;
};

// Summaries of full chunks, of 16 of these, and so on, made when a reader first wants one and kept
// while their executions are. They belong to the readers, who may wait for each other; the writer
// knows nothing of them. Where a summary would be large beside its executions (thousands of threads
// or operations), or the budget is spent, there is none, and readers get single executions.
class Summaries {
 public:
  // `ring` and `objectives` must outlive it.
  Summaries(const ExecutionRing& ring, size_t budget_bytes, const Objectives& objectives)
      : ring_(ring), budget_bytes_(budget_bytes), objectives_(objectives) {}

  // Executions numbered [first, end). Those that are evicted meanwhile are left out.
  void walk(uint64_t first, uint64_t end, Visitor& visitor);
  size_t memory_bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  static constexpr int kLevels = 3;      // of the coarsest: 256 chunks, a million executions
  static constexpr int kFanOutBits = 4;  // few enough that what is left at both edges is cheap
  struct Node {
    Extent extent;
    bool tried = false;
    std::unique_ptr<const Summary> summary;
  };
  struct Level {
    uint64_t first = 0;  // index of nodes[0]; node i is of the chunks [i << bits, (i + 1) << bits)
    std::deque<Node> nodes;
  };
  struct Walk {
    uint64_t first, end;
    Visitor& visitor;
  };

  void take_in_new_chunks();
  void drop_old_chunks();
  Node* find(int level, uint64_t index);
  void visit(const Walk& walk, int level, uint64_t index);
  void visit_chunk(const Walk& walk, uint64_t chunk);
  const Summary* summary(int level, uint64_t index);
  bool build(class SummaryBuilder& builder, int level, uint64_t index);

  const ExecutionRing& ring_;
  size_t budget_bytes_;
  const Objectives& objectives_;
  std::atomic<size_t> bytes_{0};
  std::mutex mutex_;  // guards what follows, against other readers
  std::array<Level, kLevels> levels_;
};

}  // namespace compmond::history
