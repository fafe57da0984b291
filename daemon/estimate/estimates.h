// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "estimate/interval.h"
#include "estimate/sample_store.h"
#include "stacks/key.h"
#include "stacks/model.h"

namespace compmond::estimate {

// How one key's time was spent.
struct Times {
  Estimate on_cpu;
  Estimate off_cpu;            // waiting: blocked and runnable
  Estimate blocked, runnable;  // of off_cpu
  Estimate all;                // on and off CPU
};

// Own: net real time. Within: raw time, which own time is part of by definition (nest()).
struct Figures {
  Times own, within;
  Estimate working;  // own.all without what only waits by the spec; nothing of one that does
};

struct Edge {
  uint32_t from = Key::kBottom;  // or Key::kUnknown
  uint32_t to = 0;
  Times times;  // within the callee, called by this caller
};

struct ThreadTimes {
  uint32_t pid = 0, tid = 0;  // pid Key::kOthers: several, of too many
  Times times;
};

struct ProcessTimes {
  uint32_t pid = 0;  // Key::kOthers: likewise
  Times times;       // on CPU: exact, no interval; also what it used while nothing was sampled
};

struct ImageTimes {
  uint32_t image = 0;  // a sampling::ImageNumber, or Key::kOthers
  Times times;
};

// The estimates of a window: computed when asked for, from sums that do not change any more.
class Estimates {
 public:
  // The store must outlive it, of which only the model is asked any more.
  Estimates(const SampleStore& store, Window window);

  uint64_t start_ns() const { return sums_.start_ns; }  // of the part of the window that is known
  uint64_t end_ns() const { return sums_.end_ns; }
  bool coarse() const { return sums_.coarse; }  // an edge of it is pro rata
  const Totals& totals() const { return sums_.totals; }
  // Of its time, in which waiting was sampled: where 0, Times say nothing of off_cpu and all.
  double off_cpu_share() const;

  Figures operation(int operation) const;
  Figures component(int component) const;  // of its own operations
  Figures subtree(int component) const;    // with all it contains
  std::vector<Edge> edges() const;         // between components, by (from, to)
  std::vector<ThreadTimes> threads() const;
  std::vector<ProcessTimes> processes() const;
  // Below no operation, by the innermost frame's image. low_ns allows for stacks that were cut
  // before an operation was met, which may have been below one.
  std::vector<ImageTimes> elsewhere() const;
  Times all_elsewhere() const;
  Times whole() const;  // of all samples
  // On a CPU at work for probes, whosever; nothing where no sample tells (Stretch::sees_probes).
  std::optional<Estimate> in_probes() const;

 private:
  Times times(Key key, Hidden hidden = {}) const;
  Figures figures(Key own, Key within, bool jumps) const;
  // Without its operations that only wait, and those of all that it contains.
  Estimate working(int component, bool with_inner) const;
  std::vector<Key> keys(Kind kind) const;  // sorted

  // Of components, whether operations are so: their own, and all that they contain.
  struct Any {
    Any(const Model& model, bool Model::Operation::*are);
    std::vector<bool> own, within;
  };

  const SampleStore& store_;
  Any jumps_, waits_;
  WindowSums sums_;
  Hidden innermost_;  // what stacks hide that were cut before any operation was met
};

Times times_of(const Sums& sums, const Totals& totals, Hidden hidden = {});
void nest(Times& part, Times& whole);  // as of each estimate

}  // namespace compmond::estimate
