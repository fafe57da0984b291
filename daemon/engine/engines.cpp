// SPDX-License-Identifier: Apache-2.0
#include "engine/engines.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace compmond::engine {
namespace {

bool can_use(const plan::Plan& plan, const std::string& engine) {
  return std::ranges::any_of(plan.operations, [&](const plan::PlannedOperation& op) {
    return std::ranges::any_of(
        op.ways, [&](const plan::Way& way) { return way.engine == engine && !way.refused; });
  });
}

}  // namespace

Engines::Engines(std::vector<std::unique_ptr<Engine>> all) {
  for (auto& engine : all) all_.push_back({std::move(engine), {}});
}

std::vector<std::string> Engines::names() const {
  std::vector<std::string> out;
  for (const One& one : all_) out.push_back(one.engine->traits().name);
  return out;
}

void Engines::choose(const std::string& name) {
  if (name == kAuto) return;
  std::erase_if(all_, [&](const One& one) { return one.engine->traits().name != name; });
}

void Engines::choose_those_that_see_calls() {
  std::erase_if(all_, [](const One& one) { return !one.engine->traits().calls; });
}

bool Engines::see_calls() const {
  return std::ranges::any_of(all_, [](const One& one) { return one.engine->traits().calls; });
}

std::vector<std::string> Engines::samplers() const {
  std::vector<std::string> out;
  for (const One& one : all_)
    if (!one.engine->traits().calls) out.push_back(one.engine->traits().name);
  return out;
}

std::vector<std::string> Engines::attach_words() const {
  std::vector<std::string> out;
  for (const One& one : all_)
    std::ranges::copy(one.engine->traits().attach_words, std::back_inserter(out));
  return out;
}

void Engines::attach_by(const std::string& word) {
  for (const One& one : all_)
    if (std::ranges::count(one.engine->traits().attach_words, word) > 0)
      one.engine->attach_by(word);
}

std::vector<Diagnosis> Engines::diagnose() const {
  std::vector<Diagnosis> out;
  for (const One& one : all_) {
    out.push_back(one.engine->diagnose());
    out.back().engine = one.engine->traits().name;
    out.back().calls = one.engine->traits().calls;
    out.back().alone = one.engine->traits().follows;
  }
  return out;
}

std::vector<plan::PlannerOf> Engines::planners() const {
  std::vector<plan::PlannerOf> out;
  for (const One& one : all_)
    out.push_back({one.engine->traits().name,
                   [engine = one.engine.get()](const std::vector<plan::Candidate>& candidates) {
                     return engine->planner(candidates);
                   }});
  return out;
}

plan::LaterRisk Engines::risk_of(const plan::Candidate& later) const {
  for (const One& one : all_)
    if (auto risk = one.engine->risk_of(later); !risk.to_all.empty() || !risk.to_open.empty())
      return risk;
  return {};
}

plan::Costs Engines::typical_costs() const {
  plan::Costs out(false);
  for (const One& one : all_) out.add(one.engine->typical_costs());
  return out;
}

Result<plan::Costs> Engines::calibrate() {
  plan::Costs out;
  bool any = false;
  std::optional<Error> first;
  for (One& one : all_) {
    auto costs = one.engine->calibrate();
    if (costs) {
      out.add(*costs);
      any = true;
      continue;
    }
    one.why_not = costs.error();
    if (!first) first = costs.error();
  }
  if (!any) return Unexpected(*first);
  return out;
}

Result<Captures> Engines::open(const plan::Plan& plan, const CaptureOptions& options) {
  std::vector<Captures::One> out;
  std::optional<Error> first;
  bool followed = false;
  const bool in_memory = std::ranges::any_of(all_, [&](const One& one) {
    const Traits& traits = one.engine->traits();
    return traits.in_memory && !one.why_not && can_use(plan, traits.name);
  });
  const auto moved = in_memory ? std::make_shared<sampling::MovedCodes>() : nullptr;
  for (const One& one : all_) {
    const Traits& traits = one.engine->traits();
    out.push_back({traits, nullptr, one.why_not ? one.why_not->text() : std::string(),
                   can_use(plan, traits.name)});
    if (!first) first = one.why_not;
    if (one.why_not || !(out.back().used || (traits.follows && !followed))) continue;
    CaptureOptions its = options;
    its.arrivals = options.arrivals && !followed;
    its.all_threads = in_memory;
    its.moved = moved;
    auto capture = one.engine->open(plan, its);
    if (capture) {
      followed = followed || (*capture)->targets() != nullptr;
      out.back().capture = std::move(*capture);
      continue;
    }
    out.back().why_not = capture.error().text();
    if (!first) first = capture.error();
  }
  if (!followed)
    return Unexpected(first.value_or(
        Error{Exit::kUnavailable, "no engine that works here follows processes", "", ""}));
  return Captures(std::move(out));
}

}  // namespace compmond::engine
