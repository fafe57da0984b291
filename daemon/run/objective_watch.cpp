// SPDX-License-Identifier: Apache-2.0
#include "run/objective_watch.h"

#include "figures/slo.h"
#include "present/slo.h"

namespace compmond::run {

bool ObjectiveWatch::look(const present::RunParts& run, uint64_t now_ns) {
  const figures::Model model = present::model_of(run);
  if (!model.objectives.any()) return false;
  if (options_.first && !missed_)
    if (const auto first = figures::first_violation(run.checkpoint, model))
      missed_ = present::violation_text(run, *first);
  if (options_.save_last_ns == 0) return false;
  const uint64_t seen = figures::violations_so_far(run.checkpoint, model);
  const bool last_time = run.ended || missed_;
  if (seen <= saved_ || (now_ns < next_save_ns_ && !last_time)) return false;
  saved_ = seen;
  next_save_ns_ = now_ns + options_.save_last_ns;
  return true;
}

}  // namespace compmond::run
