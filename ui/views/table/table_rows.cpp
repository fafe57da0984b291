// SPDX-License-Identifier: Apache-2.0
#include "ui/views/table/table_rows.h"

#include <algorithm>
#include <numeric>

#include "ui/views/table/table_columns.h"

namespace compmond::ui {
namespace {

bool operation_found(const Model& model, const snapshot::Operation& operation) {
  return model.found(operation.name) || model.found(operation.symbol);
}

template <class T, class Name, class FiguresOf>
void sort(std::vector<size_t>& which, const std::vector<T>& all, const TableOrder& order,
          double seconds, Name name, FiguresOf figures) {
  if (order.column == TableOrder::kSpec) return;
  const auto value = [&](size_t i) {
    return table_columns()[order.column].value(figures(all[i]), seconds);
  };
  std::stable_sort(which.begin(), which.end(), [&](size_t a, size_t b) {
    if (order.descending) std::swap(a, b);
    if (order.column == TableOrder::kName) return name(all[a]) < name(all[b]);
    return value(a) < value(b);
  });
}

}  // namespace

std::string status_mark(const snapshot::Component& component) {
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
  return away || status == snapshot::Status::kAttached || status == snapshot::Status::kSampled
             ? std::string()
             : status.text();
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
  const auto name = [](const auto& thing) -> const std::string& { return thing.name; };
  const auto figures = [](const auto& thing) -> const snapshot::Figures& { return thing.figures; };
  sort(shown, components, order, seconds, name, figures);
  for (const size_t i : shown) {
    out.push_back({i, TableRow::kWhole});
    const auto& operations = components[i].operations;
    const bool by_operation = searching && !model.found(components[i].name);
    if (!by_operation && !expanded.contains(components[i].name)) continue;
    std::vector<size_t> below(operations.size());
    std::iota(below.begin(), below.end(), size_t(0));
    if (by_operation)
      std::erase_if(below, [&](size_t o) { return !operation_found(model, operations[o]); });
    sort(below, operations, order, seconds, name, figures);
    for (const size_t o : below) out.push_back({i, o});
  }
  return out;
}

}  // namespace compmond::ui
