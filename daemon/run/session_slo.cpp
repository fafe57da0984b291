// SPDX-License-Identifier: Apache-2.0
// What a session does when an execution misses its objective.
#include "base/clock.h"
#include "base/message.h"
#include "figures/slo.h"
#include "present/slo.h"
#include "run/session.h"

namespace compmond::run {

// Looks whether there are new ones. The flight recorder keeps them all: what came within SEC
// seconds of the last file is in the next one, at the latest in that of the run's end.
void Session::keep_objectives() {
  const bool flies = recorder_ && options_.record_last_s > 0;
  if (!flies && (!options_.exit_on_slo || missed_objective_)) return;
  const history::Checkpoint now = pipeline_->checkpoint();
  const present::RunParts run = run_parts(now);
  const figures::Model model = present::model_of(run);
  if (!model.objectives.any()) return;
  if (options_.exit_on_slo && !missed_objective_)
    if (const auto first = figures::first_violation(now, model))
      missed_objective_ = present::violation_text(run, *first);
  if (!flies) return;
  const uint64_t seen = figures::violations_so_far(now, model);
  const uint64_t clock = monotonic_ns();
  const bool last_time = stopped_ || missed_objective_;
  if (seen <= saved_violations_ || (clock < next_save_ns_ && !last_time)) return;
  saved_violations_ = seen;
  next_save_ns_ = clock + uint64_t(options_.record_last_s * 1e9);
  if (const auto saved = save_recording())
    say(fmt::format("an objective was missed: the last {:g} s are in '{}'", options_.record_last_s,
                    options_.record_path));
  else
    report(saved.error());  // the run goes on
}

}  // namespace compmond::run
