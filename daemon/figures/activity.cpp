// SPDX-License-Identifier: Apache-2.0
#include "figures/activity.h"

#include <algorithm>
#include <map>
#include <utility>

#include "figures/clip.h"
#include "figures/tally.h"

namespace compmond::figures {
namespace {

__extension__ using Wide = unsigned __int128;  // a span in ns times a column does not fit 64 bits

// The columns of a window as spans of time.
class Columns {
 public:
  Columns(Window window, size_t count) : window_(window), count_(count) {}
  Window at(size_t column) const { return {bound(column), bound(column + 1)}; }
  // The one that a moment of the window falls into.
  size_t of(uint64_t ns) const {
    size_t column =
        size_t(Wide(ns - window_.start_ns) * count_ / (window_.end_ns - window_.start_ns));
    while (column + 1 < count_ && bound(column + 1) <= ns) ++column;  // bounds are rounded down
    return std::min(column, count_ - 1);
  }

 private:
  uint64_t bound(size_t column) const {
    return window_.start_ns + uint64_t(Wide(window_.end_ns - window_.start_ns) * column / count_);
  }
  Window window_;
  size_t count_;
};

void add_span(std::vector<uint64_t>& row, const Columns& columns, Window span) {
  if (span.start_ns >= span.end_ns) return;
  const size_t last = columns.of(span.end_ns - 1);
  for (size_t i = columns.of(span.start_ns); i <= last; ++i)
    row[i] += clipped(span.start_ns, span.end_ns, columns.at(i));
}

void add_losses(Activity& out, const history::Checkpoint& checkpoint, Window window,
                const Columns& columns, size_t count) {
  for (const history::Loss& loss : checkpoint.losses) {
    const Window part = common({loss.start_ns, loss.end_ns}, window);
    if (part.start_ns >= part.end_ns) continue;
    out.lost.resize(count);
    const size_t first = columns.of(part.start_ns), last = columns.of(part.end_ns - 1);
    // Spread evenly, and seen in each: more is not known.
    const uint64_t each = loss.records / (last - first + 1);
    for (size_t i = first; i <= last; ++i) out.lost[i] += std::max<uint64_t>(1, each);
    if (each > 0) out.lost[first] += loss.records % (last - first + 1);
  }
}

void add_violations(Activity& out, const history::Store& store,
                    const history::Checkpoint& checkpoint, const Model& model, const Sieve& sieve,
                    Window window, size_t columns) {
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> counts;
  for (OperationId op = 0; op < checkpoint.operations.size(); ++op) {
    if (checkpoint.operations[op].violations == 0 || !sieve.operation(op)) continue;
    const auto found = store.violations(op, window.start_ns, window.end_ns, columns);
    const int component = model.component_of[op];
    for (uint32_t i = 0; component >= 0 && i < found.size(); ++i)
      if (found[i] > 0) counts[{uint32_t(component), i}] += found[i];
  }
  for (const auto& [place, count] : counts)
    out.violations.push_back({place.first, place.second, count});
}

}  // namespace

Activity activity(const history::Store& store, const history::Checkpoint& checkpoint,
                  const Model& model, Window window, size_t columns, const Filter& filter) {
  Activity out;
  out.real_ns.assign(model.parent_of.size(), std::vector<uint64_t>(columns));
  if (columns == 0 || window.start_ns >= window.end_ns) return out;
  const Sieve sieve(model, filter);
  const Columns spans(window, columns);
  const auto row = [&](OperationId op) -> std::vector<uint64_t>* {
    const int component = sieve.operation(op) ? model.component_of[op] : -1;
    return component < 0 ? nullptr : &out.real_ns[size_t(component)];
  };
  for (OperationId op = 0; op < checkpoint.operations.size(); ++op) {
    std::vector<uint64_t>* real_ns = row(op);
    if (!real_ns || checkpoint.operations[op].calls == 0) continue;
    const auto tiles = store.tiles(op, window.start_ns, window.end_ns, columns);
    for (size_t i = 0; i < columns; ++i) (*real_ns)[i] += tiles[i].real_ns;
  }
  for (const trace::OpenExecution& open : checkpoint.open)
    if (std::vector<uint64_t>* real_ns = open.on_top ? row(open.op) : nullptr)
      add_span(*real_ns, spans, common({open.on_top_since_ns, checkpoint.as_of_ns}, window));
  add_losses(out, checkpoint, window, spans, columns);
  add_violations(out, store, checkpoint, model, sieve, window, columns);
  return out;
}

}  // namespace compmond::figures
