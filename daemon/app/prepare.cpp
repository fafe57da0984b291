// SPDX-License-Identifier: Apache-2.0
#include "app/prepare.h"

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
  auto plan = probe::make_plan(*spec, *images, options);
  if (!plan) return Unexpected(plan.error());
  return Prepared{std::move(*spec), std::move(*targets), images->front().image, std::move(*plan)};
}

Result<Session::Parts> prepare_session(const TargetOptions& target, const PlanningOptions& planning) {
  auto prepared = prepare(target, planning);
  if (!prepared) return Unexpected(prepared.error());
  if (prepared->plan.attachable() == 0) {
    std::string why = "every operation is refused:";
    for (const probe::PlannedOperation& op : prepared->plan.operations) why += "\n  " + op.name + ": " + op.reason;
    return fail(Exit::kData, "nothing to attach", why, "`compmond check` shows the plan.");
  }
  const auto kind = detect_attach_kind(planning.attach_kind ? &*planning.attach_kind : nullptr);
  if (!kind) return Unexpected(kind.error());
  auto costs = calibrate(*kind);
  if (!costs) return Unexpected(costs.error());
  return Session::Parts{std::move(prepared->spec), std::move(prepared->targets), std::move(prepared->program),
                        std::move(prepared->plan), *costs, *kind};
}

}  // namespace compmond::app
