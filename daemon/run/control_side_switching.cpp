// SPDX-License-Identifier: Apache-2.0
// Probes that go and come by somebody's wish.
#include "base/clock.h"
#include "run/control_side.h"

namespace compmond::run {

void ControlSide::begin_switching() {
  switching_.emplace(Switching::Parts{
      parts_.spec, parts_.resolved.plan, states_, placement_,
      Rehanger({states_, placement_, parts_.notes, *pipeline_, monotonic_ns,
                [this] {
                  if (budgeter_) budgeter_->charge_change();
                }}),
      monotonic_ns, pipeline_->start_ns(),
      [this](const std::vector<size_t>& away) { return has_room(away); }, [this] { end_slice(); },
      // An alarm of before holds the cost of probes that are gone.
      [this] { alarms_since_ns_ = monotonic_ns(); }});
}

Result<std::string> ControlSide::switch_probes(const std::string& name, bool on) {
  return name.empty() ? switching_->set_all(on) : switching_->set(name, on);
}

}  // namespace compmond::run
