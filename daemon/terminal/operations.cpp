// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <map>

#include "base/result.h"
#include "snapshot/doubt.h"
#include "terminal/figure_columns.h"
#include "terminal/order.h"
#include "terminal/parts.h"
#include "text/clean.h"
#include "text/numbers.h"
#include "text/table.h"

namespace compmond::terminal {
namespace {

using snapshot::Component;
using snapshot::ExitMode;
using snapshot::Operation;
using text::Row;
using text::Table;

constexpr size_t kOperationsShown = 5;   // per component; the snapshot has them all
constexpr double kOperationNames = 0.5;  // names of operations are long and alike

Told told_of(const Operation& o) { return {o.figures, o.exit_mode != ExitMode::kEntryOnly}; }

bool was_met(const Operation& o) {
  return o.figures.calls > 0 || o.figures.open > 0 ||
         (o.figures.estimated && o.figures.estimated->samples > 0);
}

std::string none_of(const snapshot::Snapshot& snapshot, const Operation& o) {
  const std::string doubt = doubt_of_none(snapshot, o.figures);
  return doubt.empty() ? "never called" : doubt;
}

class OperationTable {
 public:
  OperationTable(const snapshot::Snapshot& snapshot)
      : snapshot_(snapshot),
        figures_(snapshot, FigureColumns::Of::kOperations),
        table_(titles(), kOperationNames) {}

  // One of which nothing was seen is only named below.
  void add(const Component& component) {
    std::vector<const Operation*> met;
    std::map<std::string, size_t> unmet;  // by why
    for (const Operation& o : component.operations) {
      if (!has_figures(o)) continue;
      if (was_met(o))
        met.push_back(&o);
      else
        ++unmet[none_of(snapshot_, o)];
    }
    if (met.empty()) {
      for (const auto& [why, count] : unmet)
        unmet_[why].push_back(fmt::format("{} ({})", text::clean(component.name), count));
      return;
    }
    std::ranges::stable_sort(met, std::greater<>(), [&](const Operation* o) {
      return std::pair(figures_.rank(told_of(*o)), o->figures.calls);
    });
    table_.add({{{text::clean(component.name)}}, "", Ink::kPlain});
    for (size_t i = 0; i < std::min(met.size(), kOperationsShown); ++i) table_.add(row_of(*met[i]));
    if (met.size() > kOperationsShown)
      table_.add(more(fmt::format("  {} more", met.size() - kOperationsShown)));
    for (const auto& [why, count] : unmet) table_.add(more(fmt::format("  {} {}", count, why)));
  }

  Lines lines(const Style& style, size_t width) const {
    Lines out = indented(table_, style, width);
    for (const auto& [why, names] : unmet_) append(out, listing(style, why, names, width));
    return out;
  }

 private:
  std::vector<text::Column> titles() const {
    std::vector<text::Column> out = {{"", false, 0, 0}};
    std::ranges::move(figures_.columns(), std::back_inserter(out));
    if (is_import(snapshot_.health)) return out;
    out.push_back({"exit mode", false, 12, 6});
    out.push_back({"site", false, 7, 9});
    return out;
  }

  Row row_of(const Operation& o) const {
    Row row{{{"  " + text::clean(o.name.empty() ? o.symbol : o.name)}}, "", Ink::kAmber};
    std::ranges::move(figures_.cells(told_of(o)), std::back_inserter(row.cells));
    if (is_import(snapshot_.health)) return row;
    const bool sampled = o.exit_mode == ExitMode::kNone;
    row.cells.push_back({!sampled                    ? o.exit_mode.text()
                         : knows_no_calls(snapshot_) ? ""
                                                     : "sampled",
                         Ink::kQuiet});
    row.cells.push_back({text::clean(o.site), Ink::kQuiet});
    return row;
  }

  const snapshot::Snapshot& snapshot_;
  FigureColumns figures_;
  Table table_;
  std::map<std::string, std::vector<std::string>> unmet_;  // components, by why
};

}  // namespace

Lines operations(const snapshot::Snapshot& snapshot, const Style& style, size_t width) {
  if (knows_no_calls(snapshot) && !sampled_at_all(snapshot)) return {};
  OperationTable table(snapshot);
  for (const auto& placed : by_heat(snapshot)) table.add(snapshot.components[placed.component]);
  return table.lines(style, width);
}

}  // namespace compmond::terminal
