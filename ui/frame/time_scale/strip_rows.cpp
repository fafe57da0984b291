// SPDX-License-Identifier: Apache-2.0
#include "ui/frame/time_scale/strip_rows.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace compmond::ui {

bool has_strip_row(const Settings& settings, const snapshot::Component& component) {
  return !component.operations.empty() && settings.shows(component.name);
}

StripRows strip_rows(const snapshot::StripView& strip, const Model& model, size_t lines) {
  std::set<std::string_view> without;
  if (model.snapshot)
    for (const snapshot::Component& component : model.snapshot->components)
      if (!has_strip_row(model.settings, component)) without.insert(component.name);
  std::vector<size_t> shown;
  for (size_t i = 0; i < std::min(strip.components.size(), strip.real_ns.size()); ++i)
    if (!without.contains(strip.components[i]) && model.settings.shows(strip.components[i]))
      shown.push_back(i);
  StripRows out;
  const size_t rows = std::min(std::max<size_t>(lines, 1), shown.size());
  for (size_t row = 0; row < rows; ++row) {
    StripRow& made = out.rows.emplace_back();
    made.members.assign(shown.begin() + ptrdiff_t(row * shown.size() / rows),
                        shown.begin() + ptrdiff_t((row + 1) * shown.size() / rows));
    made.real_ns.assign(strip.columns, 0);
    for (const size_t member : made.members)
      for (size_t c = 0; c < std::min(made.real_ns.size(), strip.real_ns[member].size()); ++c)
        made.real_ns[c] = std::max(made.real_ns[c], strip.real_ns[member][c]);
  }
  if (strip.columns > 0)
    out.floor_ns = uint64_t(model.settings.heat.floor_pct / 100 *
                            double(strip.end_ns - strip.start_ns) / strip.columns);
  std::vector<uint64_t> cells;
  for (const StripRow& row : out.rows)
    for (const uint64_t ns : row.real_ns)
      if (ns > 0 && ns >= out.floor_ns) cells.push_back(ns);
  if (cells.empty()) return out;
  const auto nth = cells.begin() + ptrdiff_t((cells.size() - 1) * 98 / 100);
  std::nth_element(cells.begin(), nth, cells.end());
  out.busy_ns = *nth;
  return out;
}

}  // namespace compmond::ui
