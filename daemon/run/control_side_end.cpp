// SPDX-License-Identifier: Apache-2.0
// How what a run has placed is taken away.
#include <cstdint>
#include <string>
#include <utility>

#include "base/clock.h"
#include "core/message.h"
#include "core/progress.h"
#include "intact/leftovers.h"
#include "run/control_side.h"

namespace compmond::run {

uint64_t ControlSide::end() {
  if (slicer_) slicer_->end();
  hand_on();
  captures_.record(engine::Recording::kOff);
  const uint64_t out = monotonic_ns();
  look_at_strangers();
  {
    Progress progress("taking the probes away");
    placement_.remove([&](size_t done, size_t of) { progress.update(done, of); });
  }
  for (std::string& note : captures_.end()) tell(std::move(note));
  look_for_leftovers();
  return out;
}

void ControlSide::tell(std::string note) {
  say(note);
  parts_.notes.add(std::move(note));
}

void ControlSide::look_for_leftovers() {
  constexpr uint64_t kPatienceNs = 2'000'000'000;
  const plan::Plan& plan = parts_.resolved.plan;
  for (std::string& note :
       intact::leftovers(check_, states_, plan.images.size(), alive(), kPatienceNs))
    tell(std::move(note));
}

}  // namespace compmond::run
