// SPDX-License-Identifier: Apache-2.0
#include "prepare/prepare.h"

#include <utility>

#include "spec/parse.h"

namespace compmond::prepare {

Result<Prepared> prepare(const TargetOptions& target, const PlanningOptions& planning,
                         std::vector<plan::PlannerOf> planners) {
  auto spec = spec::load(planning.spec_path);
  if (!spec) return Unexpected(spec.error());
  auto targets = TargetSet::find(target);
  if (!targets) return Unexpected(targets.error());
  auto images = targets->open_images(*spec);
  if (!images) return Unexpected(images.error());
  plan::PlanOptions options;
  options.exit_mode = planning.exit_mode;
  options.many = planning.many;
  options.move_probes = planning.move_probes;
  options.planners = std::move(planners);
  auto resolved = resolve(*spec, *images, options);
  if (!resolved) return Unexpected(resolved.error());
  return Prepared{std::move(*spec), std::move(*targets), std::move(*resolved)};
}

}  // namespace compmond::prepare
