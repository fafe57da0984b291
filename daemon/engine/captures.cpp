// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "engine/engines.h"

namespace compmond::engine {

Captures::Captures(std::vector<One> all) : all_(std::move(all)) {
  std::vector<AllTargets::List> lists;
  for (const One& one : all_)
    if (one.capture && one.capture->targets())
      lists.push_back({one.traits.name, one.capture->targets()});
  if (lists.empty()) std::abort();  // open() sees to it that there is one
  targets_ = std::make_unique<AllTargets>(std::move(lists));
}

std::vector<Captures::AtWork> Captures::at_work() const {
  std::vector<AtWork> out;
  for (const One& one : all_)
    if (one.capture && one.used) out.push_back({one.traits, one.capture->attach()});
  return out;
}

auto Captures::place(const plan::Plan& plan, const plan::OperationStates& states, Scope scope,
                     std::span<const size_t> operations, plan::See see) const
    -> Result<std::vector<PlacedBy>> {
  std::vector<PlacedBy> out;
  for (const One& one : all_) {
    std::vector<size_t> its;
    for (const size_t i : operations)
      if (plan::way_of(plan, states, i).engine == one.traits.name) its.push_back(i);
    if (its.empty()) continue;
    if (!one.capture) {
      std::vector<Placed::Refusal> all;
      for (const size_t i : its) all.push_back({i, one.why_not});
      out.push_back({std::make_unique<Placed>(scope, std::move(all)), std::move(its)});
      continue;
    }
    auto placed = one.capture->place(plan, states, scope, its, see);
    if (!placed) return Unexpected(placed.error());
    out.push_back({std::move(*placed), std::move(its)});
  }
  return out;
}

Result<std::vector<std::unique_ptr<Placed>>> Captures::watch(
    const plan::Plan& plan, Scope scope, const std::set<size_t>& without) const {
  std::vector<std::unique_ptr<Placed>> out;
  for (const One& one : all_) {
    if (!one.capture || !one.used || !one.traits.calls) continue;
    std::vector<size_t> its;
    for (size_t i = 0; i < plan.transfers.size(); ++i) {
      const plan::PlannedTransfer& transfer = plan.transfers[i];
      if (transfer.image == scope.image && !without.contains(i) &&
          std::ranges::any_of(transfer.ways, [&](const plan::Way& way) {
            return way.engine == one.traits.name && !way.refused;
          }))
        its.push_back(i);
    }
    if (its.empty()) continue;
    auto placed = one.capture->watch(plan, scope, its);
    if (!placed) return Unexpected(placed.error());
    if (*placed) out.push_back(std::move(*placed));
  }
  return out;
}

bool Captures::harms_strangers(const plan::Plan& plan, const plan::OperationStates& states,
                               int image) const {
  for (size_t i = 0; i < plan.operations.size(); ++i) {
    if (plan.operations[i].image != image || states[i].refused()) continue;
    const plan::Way& way = plan::way_of(plan, states, i);
    if (const One* one = of(way); one && one->capture->harms_strangers(way)) return true;
  }
  return false;
}

bool Captures::by_process(const plan::Way& way) const {
  const One* one = of(way);
  return one && one->capture->by_process(way);
}

// Whose it is; null: that one is not at work.
const Captures::One* Captures::of(const plan::Way& way) const {
  for (const One& one : all_)
    if (one.capture && one.traits.name == way.engine) return &one;
  return nullptr;
}

plan::Strangers Captures::strangers(const plan::Plan& plan,
                                    const plan::OperationStates& states) const {
  for (const One& one : all_)
    if (one.capture)
      if (auto told = one.capture->strangers(plan, states); !told.calls.empty()) return told;
  return {};
}

uint32_t Captures::open_exits() const {
  uint32_t out = UINT32_MAX;
  for (const One& one : all_)
    if (one.capture && one.traits.open_exits > 0) out = std::min(out, one.traits.open_exits);
  return out;
}

std::vector<record::EventSource*> Captures::sources() const {
  std::vector<record::EventSource*> out;
  for (const One& one : all_)
    if (one.capture && (one.traits.calls || targets_->led_by(one.traits.name)))
      out.push_back(&one.capture->events());
  std::ranges::stable_partition(out, [&](const record::EventSource* source) {
    return std::ranges::any_of(all_, [&](const One& one) {
      return one.capture && targets_->led_by(one.traits.name) && &one.capture->events() == source;
    });
  });
  return out;
}

sampling::SampleSource* Captures::samples() const {
  for (const One& one : all_)
    if (one.capture)
      if (sampling::SampleSource* source = one.capture->samples()) return source;
  return nullptr;
}

void Captures::record(Recording recording) const {
  for (const One& one : all_)
    if (one.capture) one.capture->record(recording);
}

std::vector<int> Captures::alarm_fds() const {
  std::vector<int> out;
  for (const One& one : all_)
    if (one.capture && one.capture->alarm_fd() >= 0) out.push_back(one.capture->alarm_fd());
  return out;
}

std::optional<Alarm> Captures::take_alarm() const {
  std::optional<Alarm> out;
  for (const One& one : all_) {
    if (!one.capture) continue;
    const auto alarm = one.capture->take_alarm();
    if (alarm && (!out || alarm->share > out->share)) out = alarm;
  }
  return out;
}

Result<std::unique_ptr<InputCounting>> Captures::count_inputs() const {
  for (const One& one : all_) {
    if (!one.capture) continue;
    auto counting = one.capture->count_inputs();
    if (!counting || *counting) return counting;
  }
  return std::unique_ptr<InputCounting>();
}

void Captures::set_slice(uint32_t number) const {
  for (const One& one : all_)
    if (one.capture) one.capture->set_slice(number);
}

std::vector<std::string> Captures::notes() const {
  std::vector<std::string> out;
  for (const One& one : all_) {
    if (one.capture) std::ranges::move(one.capture->notes(), std::back_inserter(out));
    if (!one.capture && one.used)
      out.push_back(fmt::format("{} does not work here: {}", one.traits.name, one.why_not));
  }
  std::ranges::move(targets_->notes(), std::back_inserter(out));
  return out;
}

std::vector<std::string> Captures::end() const {
  std::vector<std::string> out;
  for (const One& one : all_)
    if (one.capture) std::ranges::move(one.capture->end(), std::back_inserter(out));
  return out;
}

bool Captures::opens_perf_events() const {
  return std::ranges::any_of(
      all_, [](const One& one) { return one.capture && one.capture->opens_perf_events(); });
}

}  // namespace compmond::engine
