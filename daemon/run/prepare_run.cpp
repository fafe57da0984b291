// SPDX-License-Identifier: Apache-2.0
#include "run/prepare_run.h"

#include <sys/resource.h>

#include "prepare/prepare.h"
#include "uprobe/calibration.h"

namespace compmond::run {
namespace {

// Each observed process takes a pidfd and, where its libraries are shared with strangers, a few
// links: far more than the 1,024 that the default limit allows. After a command was started: it
// keeps the limit that it was given.
void raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);  // where that fails, running out is reported
}

}  // namespace

Result<LiveRun::Parts> prepare_run(const prepare::TargetOptions& target,
                                   const prepare::PlanningOptions& planning) {
  raise_file_limit();
  auto prepared = prepare::prepare(target, planning);
  if (!prepared) return Unexpected(prepared.error());
  if (prepared->resolved.plan.attachable() == 0) {
    std::string why = "every operation is refused:";
    for (const plan::PlannedOperation& op : prepared->resolved.plan.operations)
      why += "\n  " + op.name + ": " + op.reason;
    return fail(Exit::kData, "nothing to attach", why, "`compmond check` shows the plan.");
  }
  const auto calibration = uprobe::calibrate(planning.attach_kind);
  if (!calibration) return Unexpected(calibration.error());
  return LiveRun::Parts{std::move(prepared->spec), std::move(prepared->targets),
                        std::move(prepared->resolved), calibration->costs, calibration->kind};
}

}  // namespace compmond::run
