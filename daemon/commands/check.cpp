// SPDX-License-Identifier: Apache-2.0
#include "commands/check.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "check/json.h"
#include "check/patching.h"
#include "check/shown.h"
#include "check/table.h"
#include "core/message.h"
#include "engines/engine_list.h"
#include "prepare/prepare.h"

namespace compmond::commands {
namespace {

// Measured where this user may, else typical values, said to be such.
plan::Costs costs_here(engine::Engines& engines) {
  auto measured = engines.calibrate();
  return measured ? std::move(*measured) : engines.typical_costs();
}

int show(const auto& shown, const check::Shown& of, bool as_json) {
  if (as_json)
    print("{}\n",
          check::to_json(shown).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  else
    print("{}", check::to_text(shown));
  return int(of.states.observed() > 0 ? Exit::kOk : Exit::kData);
}

}  // namespace

int check_command(const prepare::CheckOptions& options) {
  auto specs = prepare::load_specs(options.planning);
  if (!specs) return report(specs.error());
  prepare::EngineOptions chosen = options.planning.engines;
  const auto planned = engines::only_planned(chosen.choice);
  chosen.allow_patching = !planned && std::ranges::all_of(*specs, [](const spec::Spec& one) {
    return one.allow_patching && one.by_root;
  });
  engine::Engines engines = engines::engine_list(chosen);
  std::vector<plan::PlannerOf> planners = engines.planners();
  if (planned) planners.insert(planners.begin(), planned->planner);
  auto prepared = prepare::prepare(options.target, options.planning, std::move(*specs),
                                   {std::move(planners), engines::all_names()});
  if (!prepared) return report(prepared.error());
  plan::Plan& plan = prepared->resolved.plan;
  plan::Costs costs = costs_here(engines);
  if (!planned) {
    const check::Shown shown(prepared->spec, std::move(plan), std::move(costs));
    return show(shown, shown, options.json);
  }
  const check::Patching patching(prepared->spec, plan, chosen.choice, planned->costs(),
                                 std::move(costs));
  return show(patching, patching.own, options.json);
}

}  // namespace compmond::commands
