// SPDX-License-Identifier: Apache-2.0
#include "check/json.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "present/run_parts.h"

namespace compmond::check {
namespace {

using nlohmann::json;

json status_of(const Shown& shown, size_t i) { return shown.refused(i) ? "refused" : "attachable"; }

json cost_of(const Shown& shown, size_t i) {
  const plan::Cost cost = shown.costs.at(shown.way(i));
  return {{"inside", cost.inside_ns}, {"outside", cost.outside_ns}};
}

json to_json(const plan::CodePatch& patch) {
  return {{"kind", patch.kind},   {"offset", patch.offset},
          {"bytes", patch.bytes}, {"instructions", patch.instructions},
          {"exits", patch.exits}, {"moved_bytes", patch.moved_bytes}};
}

// What is to be placed in the program, and what that costs it; nothing where it is only sampled.
void add_probes(const Shown& shown, size_t i, json& out) {
  const plan::Way& way = shown.way(i);
  out["site"] = way.site;
  out["moved_by"] = way.moved_by;
  out["entry_offset"] = way.entry_offset;
  out["exit_offsets"] = json::array();
  for (const plan::ExitPlace& exit : way.exits) out["exit_offsets"].push_back(exit.offset);
  out["cost_ns"] = cost_of(shown, i);
  for (const plan::CodePatch& patch : way.patches) out["patches"].push_back(to_json(patch));
}

void add_way(const Shown& shown, size_t i, json& out) {
  const plan::Way& way = shown.way(i);
  const plan::Way* next = plan::next_way(shown.plan, shown.states, i);
  out["engine"] = way.engine;
  out["next_engine"] = next ? json(next->engine) : json(nullptr);
  out["exit_mode"] = present::observed_as(shown.states[i], way).text();
  if (!way.sampled()) add_probes(shown, i, out);
  out["contexts"] = json::array();
  for (const spec::Context& context : shown.plan.operations[i].contexts)
    out["contexts"].push_back({{"kind", to_text(context.kind)},
                               {"argument", context.argument},
                               {"type", to_text(context.type)}});
}

json operation_of(const Shown& shown, size_t i) {
  const plan::PlannedOperation& op = shown.plan.operations[i];
  json out = {
      {"component", shown.spec.components[size_t(op.component)].path},
      {"name", op.name},
      {"symbol", op.symbol},
      {"image", op.image >= 0 ? json(shown.plan.images[size_t(op.image)].path) : json(nullptr)},
      {"interface", to_text(op.interface)},
      {"status", status_of(shown, i)},
      {"reason", shown.states[i].reason},
      {"pointer", op.pointer}};
  if (op.slo_ms > 0) out["slo_ms"] = op.slo_ms;
  if (!shown.refused(i)) add_way(shown, i, out);
  return out;
}

json otherwise_of(const Shown& beside, size_t i) {
  const plan::Way& way = beside.way(i);
  json out = {{"engine", way.engine},
              {"status", status_of(beside, i)},
              {"reason", beside.states[i].reason}};
  if (beside.refused(i)) return out;
  out["exit_mode"] = present::observed_as(beside.states[i], way).text();
  out["site"] = way.site;
  out["cost_ns"] = cost_of(beside, i);
  return out;
}

}  // namespace

json to_json(const Shown& shown) {
  json operations = json::array();
  for (size_t i = 0; i < shown.size(); ++i) operations.push_back(operation_of(shown, i));
  return {{"schema", "compmond.check/1"},
          {"spec", shown.spec.name},
          {"cost_measured", shown.costs.measured()},
          {"operations", std::move(operations)}};
}

json to_json(const Patching& patching) {
  json out = to_json(patching.own);
  for (size_t i = 0; i < patching.own.size(); ++i)
    out["operations"][i]["otherwise"] = otherwise_of(patching.beside, i);
  const inprocess::Tally tally = tally_of(patching.own);
  out["patching"] = {{"operations", tally.functions},
                     {"patchable", tally.patched},
                     {"refused", tally.refused()},
                     {"patches", tally.kinds},
                     {"refusals", tally.refusals},
                     {"exits", tally.exits},
                     {"exits_with_entry", tally.joined_exits},
                     {"bytes", tally.bytes},
                     {"instructions", tally.instructions},
                     {"otherwise_cost_measured", patching.beside.costs.measured()}};
  return out;
}

}  // namespace compmond::check
