// SPDX-License-Identifier: Apache-2.0
#include "check/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "present/run_parts.h"
#include "text/clean.h"
#include "text/columns.h"
#include "text/numbers.h"

namespace compmond::check {
namespace {

constexpr size_t kNameColumns = 48;

std::string site_text(const plan::Way& way) {
  return way.moved_by ? fmt::format("{} at +{}", way.site, way.moved_by) : way.site;
}

// Empty without one. What is only counted has no times to hold to it.
std::string objective_text(const plan::PlannedOperation& op, const plan::Way& way) {
  if (!(op.slo_ms > 0)) return {};
  const uint64_t ns = present::objective_ns(op, way);
  return ns == 0 ? "not timed" : text::duration(double(ns));
}

std::vector<std::string> cells_of(const Shown& shown, size_t i) {
  const plan::Way& way = shown.way(i);
  const plan::Way* next = plan::next_way(shown.plan, shown.states, i);
  const bool probed = !shown.refused(i) && !way.sampled();
  return {name_cell(shown.plan.operations[i]),
          shown.refused(i) ? "" : way.engine,
          present::observed_as(shown.states[i], way).text(),
          probed ? site_text(way) : "",
          probed ? text::duration(shown.cost_ns(i)) : "",
          next ? next->engine : ""};
}

text::Table table_of(const Shown& shown, Footnotes& notes) {
  const auto& operations = shown.plan.operations;
  const bool objectives = std::ranges::any_of(operations, [](auto& op) { return op.slo_ms > 0; });
  std::vector<text::Column> columns = {{"operation", false},     {"engine", false, 8},
                                       {"exit mode", false, 12}, {"site", false, 14},
                                       {"per call", true, 8},    {"else", false, 8}};
  if (objectives) columns.push_back({"objective", true, 9});
  columns.push_back({"", false});
  text::Table table(std::move(columns));
  for (size_t i = 0; i < shown.size(); ++i) {
    std::vector<std::string> cells = cells_of(shown, i);
    if (objectives)
      cells.push_back(shown.refused(i) ? "" : objective_text(operations[i], shown.way(i)));
    cells.push_back(notes.mark(notes_on(shown, i)));
    table.add(std::move(cells));
  }
  return table;
}

// What the table comes to.
std::string sum_text(const Shown& shown) {
  size_t sampled = 0;
  for (size_t i = 0; i < shown.size(); ++i) sampled += !shown.refused(i) && shown.way(i).sampled();
  const size_t observed = shown.states.observed();
  if (sampled > 0 && sampled == observed)
    return fmt::format("{} of {} operations can be sampled: no call is seen, and none costs more.",
                       sampled, shown.size());
  return fmt::format("{} of {} operations can be attached{}; cost per call {} {}.",
                     observed - sampled, shown.size(),
                     sampled ? fmt::format(", {} more can be sampled", sampled) : "",
                     shown.costs.measured() ? "as" : "is", known_how(shown.costs));
}

}  // namespace

std::string Footnotes::mark(const std::string& reason) {
  if (reason.empty()) return {};
  auto found = std::find(reasons_.begin(), reasons_.end(), reason);
  if (found == reasons_.end()) found = reasons_.insert(reasons_.end(), reason);
  return fmt::format("[{}]", found - reasons_.begin() + 1);
}

std::string Footnotes::text() const {
  std::string out = reasons_.empty() ? "" : "\n";
  for (size_t i = 0; i < reasons_.size(); ++i)
    out += fmt::format("[{}] {}\n", i + 1, text::clean(reasons_[i]));
  return out;
}

std::string name_cell(const plan::PlannedOperation& operation) {
  return text::cut_front(operation.name, kNameColumns, "...");
}

std::string notes_on(const Shown& shown, size_t operation) {
  std::string out = shown.states[operation].reason;
  for (const spec::Context& context : shown.plan.operations[operation].contexts)
    out += fmt::format("{}{}: argument {} ({})", out.empty() ? "" : "; ", to_text(context.kind),
                       context.argument, to_text(context.type));
  return out;
}

std::string grouped(const Shown& shown, const text::Table& table) {
  const std::vector<std::string> lines = table.lines();
  auto line = lines.begin();
  std::string out = fmt::format("  {}\n", *line++);
  int component = -1;
  for (const plan::PlannedOperation& op : shown.plan.operations) {
    if (op.component != component) {
      component = op.component;
      const spec::Component& c = shown.spec.components[size_t(component)];
      out += fmt::format("{}{}\n", c.path,
                         op.image >= 0 ? "  " + shown.plan.images[size_t(op.image)].path : "");
    }
    out += fmt::format("  {}\n", *line++);
  }
  return out;
}

std::string to_text(const Shown& shown) {
  Footnotes notes;
  const std::string table = grouped(shown, table_of(shown, notes));
  return fmt::format("{}{}\n{}\n", table, notes.text(), sum_text(shown));
}

}  // namespace compmond::check
