// SPDX-License-Identifier: Apache-2.0
// What somebody asks of a live run.
#include <fmt/format.h>

#include "base/clock.h"
#include "run/live_run.h"

namespace compmond::run {

Result<std::string> LiveRun::save_recording() {
  if (samples_) samples_->hand_on();
  control_->hand_on();
  if (auto saved = log_->save(data_.read()->capture, monotonic_ns()); !saved)
    return Unexpected(std::move(saved.error()));
  return fmt::format("the last {:g} s are in '{}'", options_.record_last_s, options_.record_path);
}

Result<std::string> LiveRun::control(const snapshot::ControlRequest& request) {
  using snapshot::Action;
  const bool one = request.action == Action::kEnable || request.action == Action::kDisable;
  if (!one && request.action != Action::kPauseProbes && request.action != Action::kResumeProbes)
    return fail(
        Exit::kData, fmt::format("cannot {}", request.action.text()),
        "this is a live run: only a replay can be paused and moved",
        "Record it with --record FILE, then: compmond replay FILE. The probes of a live run "
        "can be paused: pause-probes.");
  if (stopped_) return fail(Exit::kData, "cannot do this", "the run has ended");
  const bool on = request.action == Action::kEnable || request.action == Action::kResumeProbes;
  if (one && request.target.empty())
    return fail(Exit::kData, fmt::format("cannot {}", request.action.text()), "it is not said what",
                "Name a component, an operation, or a pattern of such names.");
  return control_->switch_probes(request.target, on);
}

std::optional<Result<std::string>> LiveRun::toggle_probes() {
  if (stopped_) return std::nullopt;
  return control_->switch_probes("", control_->states().switches().all_off());
}

}  // namespace compmond::run
