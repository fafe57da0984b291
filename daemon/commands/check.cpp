// SPDX-License-Identifier: Apache-2.0
#include "commands/check.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/message.h"
#include "engines/engine_list.h"
#include "prepare/prepare.h"
#include "present/run_parts.h"
#include "text/columns.h"
#include "text/numbers.h"
#include "text/table.h"

namespace compmond::commands {
namespace {

using nlohmann::json;

constexpr size_t kNameColumns = 48;  // of an operation; longer names are cut

// Measured where this user may, else typical values, said to be such.
plan::Costs costs_here(engine::Engines& engines) {
  auto measured = engines.calibrate();
  return measured ? std::move(*measured) : engines.typical_costs();
}

std::string site_text(const plan::Way& way) {
  return way.moved_by ? fmt::format("{} at +{}", way.site, way.moved_by) : way.site;
}

// Empty without one. What is only counted has no times to hold to it.
std::string objective_text(const plan::PlannedOperation& op, const plan::Way& way) {
  if (!(op.slo_ms > 0)) return {};
  const uint64_t ns = present::objective_ns(op, way);
  return ns == 0 ? "not timed" : text::duration(ns);
}

// Why it is observed as it is, and what of its arguments is recorded.
std::string notes_on(const plan::PlannedOperation& op, const plan::OperationState& state) {
  std::string out = state.reason;
  for (const spec::Context& context : op.contexts)
    out += fmt::format("{}{}: argument {} ({})", out.empty() ? "" : "; ", to_text(context.kind),
                       context.argument, to_text(context.type));
  return out;
}

// What is to be placed in the program, and what that costs it; nothing where it is only sampled.
void add_probes(const plan::Way& way, const plan::Cost& cost, json& out) {
  out["site"] = way.site;
  out["moved_by"] = way.moved_by;
  out["entry_offset"] = way.entry_offset;
  out["exit_offsets"] = json::array();
  for (const plan::ExitPlace& exit : way.exits) out["exit_offsets"].push_back(exit.offset);
  out["cost_ns"] = {{"inside", cost.inside_ns}, {"outside", cost.outside_ns}};
}

json to_json(const prepare::Prepared& prepared, const plan::OperationStates& states,
             const plan::Costs& costs) {
  json operations = json::array();
  const plan::Plan& plan = prepared.resolved.plan;
  for (size_t i = 0; i < states.size(); ++i) {
    const plan::PlannedOperation& op = plan.operations[i];
    const plan::Way& way = plan::way_of(plan, states, i);
    json out = {{"component", prepared.spec.components[size_t(op.component)].path},
                {"name", op.name},
                {"symbol", op.symbol},
                {"image", op.image >= 0 ? json(plan.images[size_t(op.image)].path) : json(nullptr)},
                {"interface", to_text(op.interface)},
                {"status", states[i].refused() ? "refused" : "attachable"},
                {"reason", states[i].reason},
                {"pointer", op.pointer}};
    if (op.slo_ms > 0) out["slo_ms"] = op.slo_ms;
    if (!states[i].refused()) {
      const plan::Way* next = plan::next_way(plan, states, i);
      out["engine"] = way.engine;
      out["next_engine"] = next ? json(next->engine) : json(nullptr);
      out["exit_mode"] = present::observed_as(states[i], way).text();
      if (!way.sampled()) add_probes(way, costs.at(way), out);
      out["contexts"] = json::array();
      for (const spec::Context& context : op.contexts)
        out["contexts"].push_back({{"kind", to_text(context.kind)},
                                   {"argument", context.argument},
                                   {"type", to_text(context.type)}});
    }
    operations.push_back(std::move(out));
  }
  return {{"schema", "compmond.check/1"},
          {"spec", prepared.spec.name},
          {"cost_measured", costs.measured()},
          {"operations", std::move(operations)}};
}

// Reasons are long and shared by many operations: each stands once below the table, under its
// number.
class Footnotes {
 public:
  std::string mark(const std::string& reason) {
    if (reason.empty()) return {};
    auto found = std::find(reasons_.begin(), reasons_.end(), reason);
    if (found == reasons_.end()) found = reasons_.insert(reasons_.end(), reason);
    return fmt::format("[{}]", found - reasons_.begin() + 1);
  }
  void print() const {
    if (!reasons_.empty()) fmt::print("\n");
    for (size_t i = 0; i < reasons_.size(); ++i) fmt::print("[{}] {}\n", i + 1, reasons_[i]);
  }

 private:
  std::vector<std::string> reasons_;
};

std::vector<std::string> cells_of(const plan::Plan& plan, const plan::OperationStates& states,
                                  size_t i, const plan::Costs& costs) {
  const plan::Way& way = plan::way_of(plan, states, i);
  const plan::Way* next = plan::next_way(plan, states, i);
  const bool probed = !states[i].refused() && !way.sampled();
  return {text::cut_front(plan.operations[i].name, kNameColumns, "..."),
          states[i].refused() ? "" : way.engine,
          present::observed_as(states[i], way).text(),
          probed ? site_text(way) : "",
          probed ? text::duration(costs.at(way).total_ns()) : "",
          next ? next->engine : ""};
}

text::Table table_of(const plan::Plan& plan, const plan::OperationStates& states,
                     const plan::Costs& costs, Footnotes& notes) {
  const bool objectives =
      std::ranges::any_of(plan.operations, [](auto& op) { return op.slo_ms > 0; });
  std::vector<text::Column> columns = {{"operation", false},     {"engine", false, 8},
                                       {"exit mode", false, 12}, {"site", false, 14},
                                       {"per call", true, 8},    {"else", false, 8}};
  if (objectives) columns.push_back({"objective", true, 9});
  columns.push_back({"", false});
  text::Table table(std::move(columns));
  for (size_t i = 0; i < states.size(); ++i) {
    const plan::PlannedOperation& op = plan.operations[i];
    std::vector<std::string> cells = cells_of(plan, states, i, costs);
    if (objectives)
      cells.push_back(states[i].refused() ? "" : objective_text(op, plan::way_of(plan, states, i)));
    cells.push_back(notes.mark(notes_on(op, states[i])));
    table.add(std::move(cells));
  }
  return table;
}

// What the table comes to.
std::string sum_text(const plan::Plan& plan, const plan::OperationStates& states,
                     const plan::Costs& costs) {
  size_t sampled = 0;
  for (size_t i = 0; i < states.size(); ++i)
    sampled += !states[i].refused() && plan::way_of(plan, states, i).sampled();
  if (sampled > 0 && sampled == states.observed())
    return fmt::format("{} of {} operations can be sampled: no call is seen, and none costs more.",
                       sampled, states.size());
  return fmt::format("{} of {} operations can be attached{}; cost per call {}.",
                     states.observed() - sampled, states.size(),
                     sampled ? fmt::format(", {} more can be sampled", sampled) : "",
                     costs.measured() ? "as measured on this machine"
                                      : "is a typical value (run as root to measure)");
}

void print_table(const prepare::Prepared& prepared, const plan::OperationStates& states,
                 const plan::Costs& costs) {
  const plan::Plan& plan = prepared.resolved.plan;
  Footnotes notes;
  const std::vector<std::string> lines = table_of(plan, states, costs, notes).lines();
  auto line = lines.begin();
  print("  {}\n", *line++);
  int component = -1;
  for (const plan::PlannedOperation& op : plan.operations) {
    if (op.component != component) {
      component = op.component;
      const spec::Component& c = prepared.spec.components[size_t(component)];
      print("{}{}\n", c.path, op.image >= 0 ? "  " + plan.images[size_t(op.image)].path : "");
    }
    print("  {}\n", *line++);
  }
  notes.print();
  fmt::print("\n{}\n", sum_text(plan, states, costs));
}

}  // namespace

int check_command(const prepare::CheckOptions& options) {
  engine::Engines engines = engines::engine_list(options.planning.engines);
  auto prepared = prepare::prepare(options.target, options.planning, engines.planners());
  if (!prepared) return report(prepared.error());
  const plan::OperationStates states(prepared->resolved.plan);
  const plan::Costs costs = costs_here(engines);
  if (options.json)
    print("{}\n",
          to_json(*prepared, states, costs).dump(2, ' ', false, json::error_handler_t::replace));
  else
    print_table(*prepared, states, costs);
  return int(states.observed() > 0 ? Exit::kOk : Exit::kData);
}

}  // namespace compmond::commands
