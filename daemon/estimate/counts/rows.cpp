// SPDX-License-Identifier: Apache-2.0
#include "counts/rows.h"

#include <vector>

namespace compmond::estimate {

namespace {

bool counts(const Cell& cell, Counting counting) {
  if (cell.carried || (counting.cycles && !cell.complete)) return false;
  return counting.part == Part::kAll || cell.first == (counting.part == Part::kFirst);
}

void add(Strata& to, const std::map<Cell, uint32_t>& cells, Counting counting) {
  for (const auto& [cell, count] : cells)
    if (counts(cell, counting)) to[cell.stratum.by(counting.by)] += count;
}

std::vector<Row> rows_of(std::span<const Slice* const> slices, Item item, Counting counting) {
  std::vector<Row> rows(slices.size());
  for (size_t s = 0; s < slices.size(); ++s) {
    add(rows[s].inputs, slices[s]->inputs, counting);
    const auto found = slices[s]->calls.find(item);
    if (found != slices[s]->calls.end()) add(rows[s].calls, found->second, counting);
  }
  return rows;
}

}  // namespace

std::optional<Stratified> told(std::span<const Slice* const> slices, Item item, Counting counting,
                               const RunInputs& window) {
  auto out = stratified(rows_of(slices, item, counting), window.by(counting.by),
                        window.variance(counting.by));
  if (out && counting.cycles) out->edges = 0;
  return out;
}

Strata calls_of(std::span<const Slice* const> slices, Item item, Counting counting) {
  Strata out{};
  for (const Row& row : rows_of(slices, item, counting))
    for (size_t h = 0; h < kStrata; ++h) out[h] += row.calls[h];
  return out;
}

}  // namespace compmond::estimate
