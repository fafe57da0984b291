// SPDX-License-Identifier: Apache-2.0
#include "engines/engine_list.h"

#include <memory>
#include <utility>
#include <vector>

#include "inprocess/calibration.h"
#include "inprocess/costs.h"
#include "inprocess/engine.h"
#include "inprocess/planner.h"
#include "sampler/engine.h"
#include "uprobe/engine.h"

namespace compmond::engines {

engine::Engines all_engines(const prepare::EngineOptions& options) {
  std::vector<std::unique_ptr<engine::Engine>> all;
  all.push_back(uprobe::make_engine());
  if (options.allow_patching) all.push_back(inprocess::make_engine());
  all.push_back(sampler::make_engine(samples_hz(options)));
  return engine::Engines(std::move(all));
}

engine::Engines engine_list(const prepare::EngineOptions& options) {
  engine::Engines out = all_engines(options);
  const bool planned = only_planned(options.choice).has_value();
  if (planned && options.allow_patching) {
    std::vector<std::unique_ptr<engine::Engine>> all;
    all.push_back(inprocess::make_engine());
    all.push_back(uprobe::make_engine());  // what cannot be patched, and who comes and goes
    if (samples_hz(options) > 0) all.push_back(sampler::make_engine(samples_hz(options)));
    return engine::Engines(std::move(all));
  }
  if (!planned) out.choose(options.choice);
  if (planned || samples_hz(options) == 0) out.choose_those_that_see_calls();
  if (!options.attach.empty()) out.attach_by(options.attach);
  return out;
}

std::vector<std::string> all_names() {
  prepare::EngineOptions all;
  all.allow_patching = true;
  return all_engines(all).names();
}

std::vector<OnlyPlanned> only_planned() {
  const auto make = [](const std::vector<plan::Candidate>& candidates) {
    return std::make_unique<inprocess::Planner>(candidates);
  };
  const auto costs = [] {
    auto measured = inprocess::measured_costs();
    return measured ? std::move(*measured) : inprocess::expected_costs();
  };
  return {{{inprocess::kEngine, make}, costs}};
}

std::optional<OnlyPlanned> only_planned(const std::string& name) {
  for (OnlyPlanned& one : only_planned())
    if (one.planner.engine == name) return std::move(one);
  return std::nullopt;
}

double samples_hz(const prepare::EngineOptions& options) {
  constexpr double kAloneHz = 199, kBesideProbesHz = 99;
  const bool beside = options.choice == engine::Engines::kAuto || only_planned(options.choice);
  return options.samples_hz.value_or(beside ? kBesideProbesHz : kAloneHz);
}

}  // namespace compmond::engines
