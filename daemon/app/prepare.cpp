// SPDX-License-Identifier: Apache-2.0
#include "app/prepare.h"

#include <sys/resource.h>

#include "app/calibration.h"
#include "spec/parse.h"

namespace compmond::app {

Result<Prepared> prepare(const TargetOptions& target, const PlanningOptions& planning) {
  auto spec = spec::load(planning.spec_path);
  if (!spec) return Unexpected(spec.error());
  auto targets = TargetSet::find(target);
  if (!targets) return Unexpected(targets.error());
  auto images = targets->open_images(*spec);
  if (!images) return Unexpected(images.error());
  probe::PlanOptions options;
  options.exit_mode = planning.exit_mode;
  options.many = planning.many;
  options.move_probes = planning.move_probes;
  auto resolved = resolve(*spec, *images, options);
  if (!resolved) return Unexpected(resolved.error());
  return Prepared{std::move(*spec), std::move(*targets), std::move(*resolved)};
}

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

Result<Session::Parts> prepare_session(const TargetOptions& target,
                                       const PlanningOptions& planning) {
  raise_file_limit();
  auto prepared = prepare(target, planning);
  if (!prepared) return Unexpected(prepared.error());
  if (prepared->resolved.plan.attachable() == 0) {
    std::string why = "every operation is refused:";
    for (const probe::PlannedOperation& op : prepared->resolved.plan.operations)
      why += "\n  " + op.name + ": " + op.reason;
    return fail(Exit::kData, "nothing to attach", why, "`compmond check` shows the plan.");
  }
  const auto calibration = calibrate(planning.attach_kind);
  if (!calibration) return Unexpected(calibration.error());
  return Session::Parts{std::move(prepared->spec), std::move(prepared->targets),
                        std::move(prepared->resolved), calibration->costs, calibration->kind};
}

}  // namespace compmond::app
