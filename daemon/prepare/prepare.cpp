// SPDX-License-Identifier: Apache-2.0
#include "prepare/prepare.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "spec/parse.h"

namespace compmond::prepare {
namespace {

// What stands between these processes and the kernel; compmond itself does while it starts one.
std::string hindrance_of(const std::vector<target::Process>& processes, hindrance::Filters filters,
                         const Result<hindrance::Hindrances>& kernel) {
  if (kernel) {
    std::vector<pid_t> pids;
    std::ranges::transform(processes, std::back_inserter(pids), &target::Process::pid);
    const auto found = kernel->of(pids);
    return found.empty() ? std::string() : found.begin()->second;
  }
  // Without the right to ask it, a plan is all that there will be.
  for (const target::Process& process : processes) {
    if (const pid_t tracer = process.tracer(); tracer > 0 && tracer != ::getpid())
      return hindrance::traced_by(process.pid(), tracer);
    if (filters != hindrance::Filters::kPassed && process.is_filtered())
      return hindrance::filtered(process.pid());
  }
  return {};
}

}  // namespace

Result<Prepared> prepare(const TargetOptions& target, const PlanningOptions& planning,
                         std::vector<plan::PlannerOf> planners) {
  hindrance::FilterTrial trial;  // while files are looked for; gone when they were read
  auto spec = spec::load(planning.spec_path);
  if (!spec) return Unexpected(spec.error());
  auto targets = TargetSet::find(target);
  if (!targets) return Unexpected(targets.error());
  auto images = targets->open_images(*spec);
  if (!images) return Unexpected(images.error());
  const hindrance::Filters filters = trial.answer();
  auto hindrances = hindrance::Hindrances::open(filters);
  images->front().hindrance = hindrance_of(targets->processes(), filters, hindrances);
  plan::PlanOptions options;
  options.exit_mode = planning.exit_mode;
  options.many = planning.many;
  options.move_probes = planning.move_probes;
  options.planners = std::move(planners);
  auto resolved = resolve(*spec, *images, options);
  if (!resolved) return Unexpected(resolved.error());
  return Prepared{std::move(*spec), std::move(*targets), std::move(*resolved),
                  std::move(hindrances)};
}

}  // namespace compmond::prepare
