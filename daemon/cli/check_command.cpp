// SPDX-License-Identifier: Apache-2.0
#include "cli/check_command.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/message.h"
#include "prepare/prepare.h"
#include "present/run_parts.h"
#include "text/columns.h"
#include "text/numbers.h"
#include "text/table.h"
#include "uprobe/calibration.h"

namespace compmond::cli {
namespace {

using nlohmann::json;

constexpr size_t kNameColumns = 48;  // of an operation; longer names are cut

// Measured where this user may, else typical values, said to be such.
plan::CostTable costs_here(const prepare::PlanningOptions& planning) {
  if (const auto measured = uprobe::calibrate(planning.attach_kind)) return measured->costs;
  return plan::CostTable::typical();
}

std::string site_text(const plan::PlannedOperation& op) {
  const std::string site = to_text(op.entry_site);
  return op.moved_by ? fmt::format("{} at +{}", site, op.moved_by) : site;
}

// Empty without one. What is only counted has no times to hold to it.
std::string objective_text(const plan::PlannedOperation& op) {
  if (!(op.slo_ms > 0)) return {};
  const uint64_t ns = present::objective_ns(op);
  return ns == 0 ? "not timed" : text::duration(ns);
}

// Why it is observed as it is, and what of its arguments is recorded.
std::string notes_on(const plan::PlannedOperation& op) {
  std::string out = op.reason;
  for (const spec::Context& context : op.contexts)
    out += fmt::format("{}{}: argument {} ({})", out.empty() ? "" : "; ", to_text(context.kind),
                       context.argument, to_text(context.type));
  return out;
}

json to_json(const prepare::Prepared& prepared, const plan::CostTable& costs) {
  json operations = json::array();
  for (const plan::PlannedOperation& op : prepared.resolved.plan.operations) {
    json out = {{"component", prepared.spec.components[size_t(op.component)].path},
                {"name", op.name},
                {"symbol", op.symbol},
                {"image", op.image >= 0 ? json(prepared.resolved.plan.images[size_t(op.image)].path)
                                        : json(nullptr)},
                {"interface", to_text(op.interface)},
                {"status", op.refused ? "refused" : "attachable"},
                {"reason", op.reason},
                {"pointer", op.pointer}};
    if (op.slo_ms > 0) out["slo_ms"] = op.slo_ms;
    if (!op.refused) {
      const plan::Cost cost = costs.at(op.entry_site, op.exit_mode);
      out["exit_mode"] = to_text(op.exit_mode);
      out["site"] = to_text(op.entry_site);
      out["moved_by"] = op.moved_by;
      out["entry_offset"] = op.entry_offset;
      out["exit_offsets"] = json::array();
      for (const plan::PlannedExit& exit : op.exits) out["exit_offsets"].push_back(exit.offset);
      out["contexts"] = json::array();
      for (const spec::Context& context : op.contexts)
        out["contexts"].push_back({{"kind", to_text(context.kind)},
                                   {"argument", context.argument},
                                   {"type", to_text(context.type)}});
      out["cost_ns"] = {{"inside", cost.inside_ns}, {"outside", cost.outside_ns}};
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

text::Table table_of(const prepare::Prepared& prepared, const plan::CostTable& costs,
                     Footnotes& notes) {
  const auto& operations = prepared.resolved.plan.operations;
  const bool objectives = std::ranges::any_of(operations, [](auto& op) { return op.slo_ms > 0; });
  std::vector<text::Column> columns = {
      {"operation", false}, {"exit mode", false, 12}, {"site", false, 14}, {"per call", true, 8}};
  if (objectives) columns.push_back({"objective", true, 9});
  columns.push_back({"", false});
  text::Table table(std::move(columns));
  for (const plan::PlannedOperation& op : operations) {
    std::vector<std::string> cells = {text::cut(op.name, kNameColumns, "..."), "refused", "", ""};
    if (!op.refused)
      cells = {cells[0], to_text(op.exit_mode), site_text(op),
               text::duration(costs.at(op.entry_site, op.exit_mode).total_ns())};
    if (objectives) cells.push_back(op.refused ? "" : objective_text(op));
    cells.push_back(notes.mark(notes_on(op)));
    table.add(std::move(cells));
  }
  return table;
}

void print_table(const prepare::Prepared& prepared, const plan::CostTable& costs) {
  Footnotes notes;
  const std::vector<std::string> lines = table_of(prepared, costs, notes).lines();
  auto line = lines.begin();
  print("  {}\n", *line++);
  int component = -1;
  for (const plan::PlannedOperation& op : prepared.resolved.plan.operations) {
    if (op.component != component) {
      component = op.component;
      const spec::Component& c = prepared.spec.components[size_t(component)];
      print("{}{}\n", c.path,
            op.image >= 0 ? "  " + prepared.resolved.plan.images[size_t(op.image)].path : "");
    }
    print("  {}\n", *line++);
  }
  notes.print();
  fmt::print("\n{} of {} operations can be attached; cost per call {}.\n",
             prepared.resolved.plan.attachable(), prepared.resolved.plan.operations.size(),
             costs.measured() ? "as measured on this machine"
                              : "is a typical value (run as root to measure)");
}

}  // namespace

int check_command(const prepare::CheckOptions& options) {
  auto prepared = prepare::prepare(options.target, options.planning);
  if (!prepared) return report(prepared.error());
  const plan::CostTable costs = costs_here(options.planning);
  if (options.json)
    print("{}\n", to_json(*prepared, costs).dump(2, ' ', false, json::error_handler_t::replace));
  else
    print_table(*prepared, costs);
  return int(prepared->resolved.plan.attachable() > 0 ? Exit::kOk : Exit::kData);
}

}  // namespace compmond::cli
