// SPDX-License-Identifier: Apache-2.0
#include "prepare/prepare.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <set>
#include <utility>

#include "spec/join.h"
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

// Of several files, each about a program of its own, one.
Result<spec::Spec> one_of(std::vector<spec::Spec> specs) {
  if (specs.size() == 1) return std::move(specs.front());
  return spec::joined(specs);
}

// Figures of a library are those of all processes: whose else is counted is said.
void tell_of_shared(const std::vector<ImageFile>& files, Resolved& resolved) {
  std::set<int> told;
  for (const plan::PlannedOperation& operation : resolved.plan.operations) {
    if (operation.image < 0 || !told.insert(operation.image).second) continue;
    const ImageFile& file = files[resolved.plan.images[size_t(operation.image)].candidate];
    if (std::has_single_bit(file.programs)) continue;
    resolved.notes.push_back(fmt::format(
        "{} is used by several of the programs: calls of all of them count in its components",
        file.path));
  }
}

// Those without a file that is known to be their main executable, too.
void complete_programs(const TargetSet& targets, Resolved& resolved) {
  std::vector<target::Program> all;
  for (const TargetSet::Program& program : targets.programs()) {
    all.push_back({program.exe, {}, nullptr, program.device, program.inode});
    for (const target::Program& known : resolved.programs)
      if (known.inode == program.inode && known.device == program.device) {
        all.back().build_id = known.build_id;
        all.back().file = known.file;
      }
  }
  resolved.programs = std::move(all);
}

}  // namespace

Result<std::vector<spec::Spec>> load_specs(const PlanningOptions& planning) {
  std::vector<spec::Spec> out;
  for (const SpecFile& file : planning.specs) {
    auto loaded = spec::load(file.path);
    if (!loaded) return Unexpected(loaded.error());
    out.push_back(std::move(*loaded));
  }
  return out;
}

Result<Prepared> prepare(const TargetOptions& target, const PlanningOptions& planning,
                         std::vector<spec::Spec> specs, PlanningEngines engines) {
  hindrance::FilterTrial trial;  // while files are looked for; gone when they were read
  auto targets = TargetSet::find(target, planning.specs);
  if (!targets) return Unexpected(targets.error());
  auto spec = one_of(std::move(specs));
  if (!spec) return Unexpected(spec.error());
  auto images = targets->open_images(*spec);
  if (!images) return Unexpected(images.error());
  const hindrance::Filters filters = trial.answer();
  auto hindrances = hindrance::Hindrances::open(filters);
  images->front().hindrance = hindrance_of(targets->processes(), filters, hindrances);
  plan::PlanOptions options;
  options.exit_mode = planning.exit_mode;
  options.many = planning.many;
  options.move_probes = planning.move_probes;
  options.planners = std::move(engines.planners);
  options.engines = std::move(engines.known);
  auto resolved = resolve(*spec, *images, options);
  if (!resolved) return Unexpected(resolved.error());
  tell_of_shared(*images, *resolved);
  complete_programs(*targets, *resolved);
  return Prepared{std::move(*spec), std::move(*targets), std::move(*resolved),
                  std::move(hindrances)};
}

}  // namespace compmond::prepare
