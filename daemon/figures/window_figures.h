// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "figures/figures.h"
#include "figures/outermost.h"
#include "figures/tally.h"
#include "history/nested_parts.h"
#include "history/store.h"

namespace compmond::figures {

// Figures of any window from the retained executions: of those that all ended in it from summaries,
// less what lies before it; of others one by one. Everything given must outlive it.
class WindowFigures : public history::Visitor {
 public:
  WindowFigures(const history::Checkpoint& checkpoint, const Model& model, Window window,
                const Sieve& sieve)
      : checkpoint_(checkpoint),
        objectives_(model.objectives),
        window_(window),
        sieve_(sieve),
        component_of_(model.component_of),
        tallies_(model, checkpoint) {
    if (sieve.cuts()) outermost_.emplace(model.parent_of.size());
    if (window_.end_ns >= checkpoint.as_of_ns) window_.end_ns = UINT64_MAX;
  }

  history::Take wants(const history::Extent& extent) override;
  void on_executions(std::span<const trace::Execution> executions) override {
    for (const trace::Execution& e : executions) add(e);
  }
  void on_summary(const history::Extent& extent, const history::Summary& summary) override;

  // After the closed ones: what the checkpoint has open.
  void add_open();
  Tallies& tallies() { return tallies_; }
  // The raw times of components of which the sieve lets some operations pass; at the end.
  std::vector<uint64_t> cut_raw_ns() {
    return outermost_ ? outermost_->finish() : std::vector<uint64_t>();
  }

 private:
  void add(const trace::Execution& e);
  // Everything that ended in the window, as if all of it had begun there too.
  void add_sums(const history::Summary& summary);
  void add_row(const history::Summary::Operation& from,
               std::span<const history::Summary::Bucket> buckets);
  // Takes what lies before the window out of the sums. Additions are modulo 2^64.
  void clip(const history::Summary::Long& given);
  void end(const trace::Execution& e, bool timed, uint64_t raw);
  void count_open(const trace::Begun& e);
  void count_outermost(const trace::Begun& e, uint64_t whole_raw_ns, uint64_t raw_ns);

  bool all_end_in_window(const history::Extent& extent) const {
    return extent.min_end_ns >= window_.start_ns &&
           (extent.max_end_ns < window_.end_ns || window_.end_ns == UINT64_MAX);
  }
  bool all_end_later(const history::Extent& extent) const {
    return extent.min_end_ns >= window_.end_ns;
  }
  bool inside(uint64_t ns) const {
    return ns >= window_.start_ns && (ns < window_.end_ns || window_.end_ns == UINT64_MAX);
  }

  const history::Checkpoint& checkpoint_;
  const history::Objectives& objectives_;
  Window window_;
  const Sieve& sieve_;
  const std::vector<int>& component_of_;
  std::optional<Outermost> outermost_;
  Tallies tallies_;
  history::NestedParts nested_;
};

}  // namespace compmond::figures
