// SPDX-License-Identifier: Apache-2.0
#include "ui/views/table/table_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "snapshot/tree_order.h"
#include "text/match.h"
#include "ui/model/switching.h"
#include "ui/views/table/table_columns.h"

namespace compmond::ui {
namespace {

bool operation_found(const Model& model, const snapshot::Operation& operation) {
  return model.found(operation.name) || model.found(operation.symbol);
}

using Less = std::function<bool(size_t, size_t)>;

// As the head of a column has been clicked; equal ones stay as they are.
Less sorted_by(const TableOrder& order, const std::vector<double>& values,
               const std::vector<std::string>& names) {
  if (order.column == TableOrder::kSpec) return [](size_t, size_t) { return false; };
  return [&](size_t a, size_t b) {
    if (order.descending) std::swap(a, b);
    return order.column == TableOrder::kName ? names[a] < names[b] : values[a] < values[b];
  };
}

// What the order compares.
struct Keys {
  std::vector<double> values;
  std::vector<std::string> names;
};
template <class T>
Keys keys_of(const std::vector<T>& all, const TableOrder& order, double seconds) {
  Keys out;
  for (const T& one : all) {
    out.names.push_back(one.name);
    out.values.push_back(order.column < table_columns().size()
                             ? table_columns()[order.column].value(one.figures, seconds)
                             : 0);
  }
  return out;
}

// Components below their parents, which stand where the first of all that they contain would.
std::vector<snapshot::Placed> placed(const std::vector<snapshot::Component>& all,
                                     const std::vector<size_t>& shown, const TableOrder& order,
                                     double seconds) {
  Keys keys = keys_of(all, order, seconds);
  const std::vector<size_t> parents = snapshot::parents_of(all);
  for (size_t at = shown.size(); at-- > 0;) {
    const size_t above = parents[shown[at]];
    if (above == snapshot::kNoParent) continue;
    double& value = keys.values[above];
    const double below = keys.values[shown[at]];
    value = order.descending ? std::max(value, below) : std::min(value, below);
  }
  return snapshot::tree_order(parents, shown, sorted_by(order, keys.values, keys.names));
}

}  // namespace

std::string_view shown_name(const snapshot::Component& component, size_t depth) {
  return depth == 0 ? std::string_view(component.name) : text::leaf(component.name);
}

StatusMark status_mark(const snapshot::Snapshot& snapshot, const snapshot::Component& component) {
  if (is_off(snapshot, component)) return {"switched off", true};
  if (component.status == snapshot::Status::kPartial)
    if (const OffCount count = off_count(snapshot, component); count.off > 0)
      return {fmt::format("{} of {} off", count.off, count.all), count.refused == 0};
  const auto& status = component.status;
  const auto& operations = component.operations;
  // That probes are too dear and away is no fault of it: samples tell its times.
  const bool away =
      status == snapshot::Status::kPartial &&
      (operations.empty()
           ? times_estimated(component.subtree) && component.subtree.seen
           : seen_in_part(component.figures) && std::ranges::none_of(operations, [](const auto& o) {
               return o.exit_mode == snapshot::ExitMode::kRefused;
             }));
  return {away || status == snapshot::Status::kAttached || status == snapshot::Status::kSampled
              ? std::string()
              : status.text()};
}

const char* whose_mark(const TableRow& row, const snapshot::Component& component) {
  if (!row.contains || row.operation != TableRow::kWhole) return "";
  return component.operations.empty() ? "sum" : "own";
}

std::vector<TableRow> table_rows(const Model& model, const TableOrder& order,
                                 const std::set<std::string>& expanded) {
  std::vector<TableRow> out;
  if (!model.snapshot) return out;
  const auto& components = model.snapshot->components;
  const double seconds = double(model.figures_interval().length()) / 1e9;
  const bool searching = !model.search.text.empty();
  std::vector<size_t> shown;
  for (size_t i = 0; i < components.size(); ++i) {
    const auto& operations = components[i].operations;
    const bool found =
        model.found(components[i].name) ||
        std::any_of(operations.begin(), operations.end(),
                    [&](const auto& operation) { return operation_found(model, operation); });
    if (found && model.settings.shows(components[i].name)) shown.push_back(i);
  }
  std::vector<char> contains(components.size());
  for (const size_t parent : snapshot::parents_of(components))
    if (parent != snapshot::kNoParent) contains[parent] = true;
  for (const auto& [i, depth] : placed(components, shown, order, seconds)) {
    out.push_back({i, TableRow::kWhole, depth, contains[i] != 0});
    const auto& operations = components[i].operations;
    const bool by_operation = searching && !model.found(components[i].name);
    if (!by_operation && !expanded.contains(components[i].name)) continue;
    std::vector<size_t> below(operations.size());
    std::iota(below.begin(), below.end(), size_t(0));
    if (by_operation)
      std::erase_if(below, [&](size_t o) { return !operation_found(model, operations[o]); });
    const Keys keys = keys_of(operations, order, seconds);
    std::stable_sort(below.begin(), below.end(), sorted_by(order, keys.values, keys.names));
    for (const size_t o : below) out.push_back({i, o, depth, false});
  }
  return out;
}

}  // namespace compmond::ui
