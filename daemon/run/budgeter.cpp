// SPDX-License-Identifier: Apache-2.0
#include "run/budgeter.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/clock.h"
#include "text/numbers.h"

namespace compmond::run {

Budgeter::Budgeter(Parts parts, double percent, uint64_t start_ns)
    : parts_(std::move(parts)),
      percent_(percent),
      start_ns_(start_ns),
      budget_(percent, parts_.plan.operations.size()),
      looked_ns_(start_ns),
      looked_calls_(parts_.plan.operations.size()) {}

// Since the last look.
std::vector<OverheadBudget::Load> Budgeter::loads(std::span<const uint64_t> calls) const {
  std::vector<OverheadBudget::Load> out(looked_calls_.size());
  for (size_t i = 0; i < out.size(); ++i) {
    out[i].calls = calls[i] - looked_calls_[i];
    out[i].cost_ns = double(out[i].calls) *
                     parts_.costs.at(plan::way_of(parts_.plan, parts_.states, i)).total_ns();
  }
  return out;
}

void Budgeter::glance(std::span<const uint64_t> calls, uint64_t cpu_ns, uint64_t now_ns) {
  if (OverheadBudget::floods(loads(calls), double(cpu_ns - looked_cpu_ns_),
                             double(now_ns - looked_ns_)))
    look(calls, cpu_ns, now_ns);
}

void Budgeter::look(std::span<const uint64_t> calls, uint64_t cpu_ns, uint64_t now_ns) {
  const std::vector<OverheadBudget::Load> loads = this->loads(calls);
  looked_calls_.assign(calls.begin(), calls.end());
  const double wall_ns = double(now_ns - std::exchange(looked_ns_, now_ns));
  const double used_ns = double(cpu_ns - std::exchange(looked_cpu_ns_, cpu_ns));
  const auto decision = budget_.look(loads, parts_.states, used_ns, wall_ns, now_ns);
  const std::string since = text::moment(double(now_ns - start_ns_), 1e8);
  for (const size_t i : decision.pause)
    parts_.states.pause(
        i, now_ns,
        fmt::format("not observed since {}: its {:.0f} calls per second cost more than "
                    "--max-overhead {:g}",
                    since, double(loads[i].calls) / wall_ns * 1e9, percent_));
  if (!decision.pause.empty()) take_away(decision.pause);
  if (!decision.bring_back.empty())
    bring_back(decision.bring_back, fmt::format("observed again since {}", since));
}

// The first time that an operation goes, its probes have to be parted from the others', for which
// all are hung anew. From then on it comes and goes alone.
void Budgeter::take_away(const std::vector<size_t>& operations) {
  if (!parts_.placement.take_away(operations)) return place_again();
  parts_.interrupt(monotonic_ns(), {operations.begin(), operations.end()});
}

void Budgeter::bring_back(const std::vector<size_t>& operations, const std::string& reason) {
  if (const auto placed = parts_.placement.bring_back(operations); !placed)
    parts_.notes.add("probes could not be placed again: " + placed.error().text());
  for (const size_t i : operations) parts_.states.come_back(i, monotonic_ns(), reason);
}

// Hangs the plan's probes anew. What is open at that moment is closed as lossy, since its exits
// will not be seen; calls in the meantime (some 0.1 s) are not counted. Both edges of the gap are
// marked as losses.
void Budgeter::place_again() {
  parts_.captures.record(engine::Recording::kPaused);
  const uint64_t begin = monotonic_ns();
  parts_.placement.remove();
  parts_.interrupt(begin, {});
  const auto placed = parts_.placement.place(parts_.program());
  parts_.interrupt(monotonic_ns(), {});
  parts_.captures.record(engine::Recording::kOn);
  parts_.notes.add(placed ? fmt::format("all probes were away for {} to keep the overhead budget",
                                        text::duration(double(monotonic_ns() - begin)))
                          : "probes could not be placed again: " + placed.error().text());
}

}  // namespace compmond::run
