// SPDX-License-Identifier: Apache-2.0
#include "counts/rows.h"

#include <numeric>

namespace compmond::counts {

namespace {

size_t index(Counting counting) {
  return (size_t(counting.by) * 2 + size_t(counting.cycles)) * 3 + size_t(counting.part);
}

bool counts(const Cell& cell, Counting counting) {
  if (cell.carried || (counting.cycles && !cell.complete)) return false;
  return counting.part == Part::kAll || cell.first == (counting.part == Part::kFirst);
}

Strata add_up(const Cells& cells, Counting counting) {
  Strata out{};
  for (const auto& [cell, count] : cells)
    if (counts(cell, counting)) out[cell.stratum.by(counting.by)] += count;
  return out;
}

}  // namespace

AddedUp::AddedUp(const Slice& slice) : slice_(&slice) {
  for (const By by : kWays)
    for (const bool cycles : {false, true})
      for (const Part part : {Part::kAll, Part::kFirst, Part::kLater}) {
        const Counting counting{by, cycles, part};
        inputs_[index(counting)] = add_up(slice.inputs, counting);
      }
}

const Strata& AddedUp::inputs(Counting counting) const { return inputs_[index(counting)]; }

Strata AddedUp::calls(Item item, Counting counting) const {
  const auto found = slice_->calls.find(item);
  return found == slice_->calls.end() ? Strata{} : add_up(found->second, counting);
}

std::optional<Stratified> told(std::span<const AddedUp* const> slices, Item item, Counting counting,
                               const RunInputs& window) {
  std::vector<Row> rows;
  rows.reserve(slices.size());
  for (const AddedUp* slice : slices)
    rows.push_back({&slice->inputs(counting), slice->calls(item, counting)});
  auto out = stratified(rows, window.by(counting.by), window.spread(counting.by));
  if (!out) return out;
  if (counting.cycles) out->edges = 0;
  const Strata& slowed = window.slowed.by(counting.by);
  out->slowed =
      std::inner_product(slowed.begin(), slowed.end(), out->per_input.begin(), 0.0) / out->value;
  return out;
}

Strata calls_of(std::span<const AddedUp* const> slices, Item item, Counting counting) {
  Strata out{};
  for (const AddedUp* slice : slices) {
    const Strata calls = slice->calls(item, counting);
    for (size_t h = 0; h < kStrata; ++h) out[h] += calls[h];
  }
  return out;
}

}  // namespace compmond::counts
