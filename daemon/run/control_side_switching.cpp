// SPDX-License-Identifier: Apache-2.0
// Probes that go and come by somebody's wish, or as programs load what they are for.
#include <fmt/format.h>

#include "base/clock.h"
#include "run/control_side.h"
#include "text/numbers.h"

namespace compmond::run {

Rehanger ControlSide::rehanger() {
  return Rehanger({states_, placement_, parts_.notes, *pipeline_, monotonic_ns, [this] {
                     if (budgeter_) budgeter_->charge_change();
                   }});
}

void ControlSide::begin_switching() {
  switching_.emplace(Switching::Parts{
      parts_.spec, parts_.resolved.plan, states_, placement_, rehanger(), monotonic_ns,
      pipeline_->start_ns(), [this](const std::vector<size_t>& away) { return has_room(away); },
      [this] { end_slice(); },
      // An alarm of before holds the cost of probes that are gone.
      [this] { alarms_since_ns_ = monotonic_ns(); }});
}

// By probes until then, as nobody had loaded it; or away, as these were too dear.
void ControlSide::patch_what_was_loaded() {
  const LaterLoads::Ways ways = placement_.place_where_loaded(monotonic_ns());
  if (ways.empty()) return;
  end_slice();
  const plan::Plan& plan = parts_.resolved.plan;
  LaterLoads::Ways before;
  std::vector<size_t> over, back;
  for (const auto& [i, way] : ways) {
    over.push_back(i);
    before[i] = states_[i].way;
  }
  Rehanger rehanger = this->rehanger();
  const uint64_t gone_ns = rehanger.take_away(over);
  const std::string since = text::moment(double(gone_ns - pipeline_->start_ns()), 1e8);
  for (const auto& [i, way] : ways)
    states_.go_on_by(
        plan, i, way,
        fmt::format("by {} since {}, as it is loaded", plan.operations[i].ways[way].engine, since));
  for (const engine::Placed::Refusal& one : rehanger.change_over(over, gone_ns)) {
    states_.go_on_by(plan, one.operation, before[one.operation], "nor then: " + one.reason);
    std::erase(over, one.operation);
    if (states_[one.operation].attached()) back.push_back(one.operation);
  }
  if (!over.empty())
    parts_.notes.add(fmt::format(
        "{} observed by patches since {}, when what it is in was loaded, and by probes before: "
        "times from before contain what probes cost",
        text::counted(over.size(), "operation is", "operations are"), since));
  for (const size_t i : over)
    if (states_[i].paused()) states_.come_back(i, monotonic_ns(), "");
  if (back.empty()) return;
  const uint64_t back_ns = rehanger.bring_back(back);
  for (const size_t i : back) states_.missed(i, {gone_ns, back_ns});
}

Result<std::string> ControlSide::switch_probes(const std::string& name, bool on) {
  return name.empty() ? switching_->set_all(on) : switching_->set(name, on);
}

}  // namespace compmond::run
