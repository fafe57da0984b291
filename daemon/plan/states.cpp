// SPDX-License-Identifier: Apache-2.0
#include "plan/states.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace compmond::plan {
namespace {

// Behind all those of the engine of `way`.
size_t next_engines_way(const PlannedOperation& planned, size_t way) {
  const std::string& engine = planned.ways[way].engine;
  while (way < planned.ways.size() && planned.ways[way].engine == engine) ++way;
  return way;
}

}  // namespace

std::optional<uint64_t> OperationState::since_ns() const {
  if (refused()) return unseen.empty() ? std::nullopt : std::optional(unseen.back().start_ns);
  if (is_off()) return off.back().start_ns;
  if (away.empty()) return std::nullopt;
  return away.open() ? away.back().start_ns : away.back().end_ns;
}

OperationStates::OperationStates(const Plan& plan)
    : states_(plan.operations.size()),
      paused_for_(plan.operations.size()),
      refusals_(plan.operations.size()),
      known_(plan.operations.size()) {
  for (size_t i = 0; i < states_.size(); ++i) choose(plan.operations[i], i, 0);
}

// Makes the first way from `from` on that is not refused the one in use.
void OperationStates::choose(const PlannedOperation& planned, size_t operation, size_t from) {
  OperationState& state = states_[operation];
  state.status = OperationState::Status::kRefused;
  for (size_t i = from; i < planned.ways.size() && state.refused(); ++i) {
    state.way = i;
    if (planned.ways[i].refused)
      add_refusal(planned, operation, planned.ways[i].reason);
    else
      state.status = OperationState::Status::kAttached;
  }
  state.reason = refusals_[operation];
  if (!state.refused())
    state.reason = joined(state.reason, joined(planned.ways[state.way].reason, planned.note));
  known_[operation] = state.reason;
}

// Of the way in use. Whose reason it is matters only where there are several.
void OperationStates::add_refusal(const PlannedOperation& planned, size_t operation,
                                  const std::string& reason) {
  const Way& way = planned.ways[states_[operation].way];
  const bool only = next_engines_way(planned, 0) == planned.ways.size();
  refusals_[operation] = joined(refusals_[operation],
                                only ? reason : fmt::format("not by {}: {}", way.engine, reason));
}

size_t OperationStates::observed() const {
  return size_t(std::ranges::count(states_, false, &OperationState::refused));
}

bool OperationStates::fall_through(const Plan& plan, size_t operation, const std::string& reason) {
  const PlannedOperation& planned = plan.operations[operation];
  add_refusal(planned, operation, reason);
  choose(planned, operation, next_engines_way(planned, states_[operation].way));
  return !states_[operation].refused();
}

void OperationStates::refuse(size_t operation, const std::string& reason) {
  states_[operation].status = OperationState::Status::kRefused;
  states_[operation].reason = joined(refusals_[operation], reason);
}

void OperationStates::refuse_from(uint64_t now_ns, size_t operation, const std::string& reason) {
  unseen(operation, {now_ns, UINT64_MAX});
  states_[operation].off.end_at(now_ns);
  refuse(operation, reason);
}

bool OperationStates::change_over(const Plan& plan, size_t operation, uint64_t now_ns,
                                  const std::string& reason, bool (*fits)(const Way& way)) {
  OperationState& state = states_[operation];
  const PlannedOperation& planned = plan.operations[operation];
  const size_t next = state.way + 1;
  const bool same =
      next < planned.ways.size() && planned.ways[next].engine == planned.ways[state.way].engine;
  if (!same || planned.ways[next].refused || !fits(planned.ways[next])) {
    const bool why = same && planned.ways[next].refused;
    refuse_from(now_ns, operation, why ? reason + ", and " + planned.ways[next].reason : reason);
    return false;
  }
  state.way = next;
  known_[operation] =
      joined(refusals_[operation],
             joined(fmt::format("{}: {}", to_text(planned.ways[next].exit), reason), planned.note));
  if (state.attached()) state.reason = known_[operation];
  return true;
}

void OperationStates::go_on_by(const Plan& plan, size_t operation, size_t way,
                               const std::string& reason) {
  const PlannedOperation& planned = plan.operations[operation];
  states_[operation].way = way;
  known_[operation] =
      joined(refusals_[operation], joined(planned.ways[way].reason, joined(reason, planned.note)));
  if (states_[operation].attached()) states_[operation].reason = known_[operation];
}

void OperationStates::unseen(size_t operation, Window when) {
  if (!states_[operation].refused()) states_[operation].unseen.add(when);
}

void OperationStates::pause(size_t operation, uint64_t now_ns, std::string reason) {
  OperationState& state = states_[operation];
  state.away.begin_at(now_ns);
  state.status = OperationState::Status::kPaused;
  state.reason = std::move(reason);
}

void OperationStates::come_back(size_t operation, uint64_t now_ns, const std::string& reason) {
  OperationState& state = states_[operation];
  if (state.is_off()) return;  // by a wish that lasts
  state.away.end_at(now_ns);
  if (!state.paused()) return;
  state.status = OperationState::Status::kAttached;
  state.reason = joined(known_[operation], reason);
}

void OperationStates::switch_off(size_t operation, uint64_t now_ns, std::string reason) {
  OperationState& state = states_[operation];
  if (state.refused() || state.is_off()) return;
  paused_for_[operation] = state.paused() ? state.reason : std::string();
  state.away.begin_at(now_ns);
  state.off.begin_at(now_ns);
  state.status = OperationState::Status::kOff;
  state.reason = std::move(reason);
}

bool OperationStates::switch_on(size_t operation, uint64_t now_ns, const std::string& reason) {
  OperationState& state = states_[operation];
  state.off.end_at(now_ns);
  if (!state.is_off()) return false;
  if (is_for_budget(operation)) {
    busy_.spans.begin_at(now_ns);  // where the rest was whole meanwhile
    state.status = OperationState::Status::kPaused;
    state.reason = std::exchange(paused_for_[operation], {});
    return false;
  }
  state.away.end_at(now_ns);
  state.status = OperationState::Status::kAttached;
  state.reason = joined(known_[operation], reason);
  return true;
}

void OperationStates::missed(size_t operation, Window moment) {
  Spans& away = states_[operation].away;
  if (!away.open()) away.add(moment);
}

void OperationStates::unseen(const Plan& plan, std::span<const int> images, Window when) {
  for (size_t i = 0; i < states_.size(); ++i)
    if (std::ranges::count(images, plan.operations[i].image) > 0) unseen(i, when);
}

std::vector<Window> away_in(const OperationStates& states, const std::vector<size_t>& operations,
                            Window window) {
  std::vector<Window> spans, out;
  for (const size_t operation : operations) {
    if (states[operation].refused()) continue;
    for (const Window& span : states[operation].away)
      if (const Window part = common(span, window); part.length() > 0) spans.push_back(part);
  }
  std::ranges::sort(spans, {}, &Window::start_ns);
  for (const Window& span : spans)
    if (!out.empty() && span.start_ns <= out.back().end_ns)
      out.back().end_ns = std::max(out.back().end_ns, span.end_ns);
    else
      out.push_back(span);
  return out;
}

bool writes_code(const Plan& plan, const OperationStates& states) {
  for (size_t i = 0; i < states.size(); ++i)
    if (!states[i].refused() && way_of(plan, states, i).writes_code()) return true;
  return false;
}

const Way* next_way(const Plan& plan, const OperationStates& states, size_t operation) {
  const std::vector<Way>& ways = plan.operations[operation].ways;
  if (states[operation].refused()) return nullptr;
  const size_t behind = next_engines_way(plan.operations[operation], states[operation].way);
  const auto next = std::find_if(ways.begin() + std::ptrdiff_t(behind), ways.end(),
                                 [](const Way& way) { return !way.refused; });
  return next == ways.end() ? nullptr : &*next;
}

std::string why_none_is_observed(const Plan& plan, const OperationStates& states) {
  std::string out = "every operation is refused:";
  for (size_t i = 0; i < states.size(); ++i)
    out += "\n  " + plan.operations[i].name + ": " + states[i].reason;
  return out;
}

}  // namespace compmond::plan
