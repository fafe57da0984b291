// SPDX-License-Identifier: Apache-2.0
#include "commands/replay.h"

#include <utility>

#include "core/message.h"
#include "front/front.h"
#include "front/shown.h"
#include "guard/rights.h"
#include "present/slo.h"

namespace compmond::commands {
namespace {

bool sees_calls(const replay::ReplayRun& run) {
  for (size_t i = 0; i < run.states().size(); ++i)
    if (!run.states()[i].refused() && !plan::way_of(run.plan(), run.states(), i).sampled())
      return true;
  return false;
}

// From opening the log to the summary; whether an objective was missed.
Result<bool> replay(const ReplayOptions& options) {
  // Before any file is made.
  auto run = replay::ReplayRun::open(options.log_path, options.run);
  if (!run) return Unexpected(std::move(run.error()));
  if (options.run.exit_on_slo)
    if (auto any = present::check_objectives((*run)->plan(), (*run)->states()); !any)
      return Unexpected(std::move(any.error()));
  if (auto fine = front::check_shown(options.front, sees_calls(**run),
                                     (*run)->player().source().header().samples_hz > 0);
      !fine)
    return Unexpected(std::move(fine.error()));
  auto front = front::Front::open(options.front);
  if (!front) return Unexpected(std::move(front.error()));
  if (auto shown = (*front)->show(**run); !shown) return Unexpected(std::move(shown.error()));
  // What is in the log may be anybody's. Threads come after.
  guard::Needs needs;
  needs.probes = false;
  if (auto done = guard::give_up_rights(needs); !done) return Unexpected(std::move(done.error()));
  if (auto started = (*run)->start(); !started) return Unexpected(std::move(started.error()));
  (*run)->play(options.speed.value_or((*front)->looked_at() ? 1 : 0));
  if (auto driven = (*front)->drive(); !driven) return Unexpected(std::move(driven.error()));
  return (*run)->missed_objective().has_value();
}

}  // namespace

int replay_command(ReplayOptions options) {
  options.front.always_serve = false;
  options.front.stay_with_keep = true;
  const auto missed = replay(options);
  if (!missed) return report(missed.error());
  return int(*missed ? Exit::kOverBudget : Exit::kOk);
}

}  // namespace compmond::commands
