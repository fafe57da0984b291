// SPDX-License-Identifier: Apache-2.0
#include "run/prepare_run.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engines/engine_list.h"
#include "plan/states.h"
#include "prepare/prepare.h"
#include "text/nearest.h"

namespace compmond::run {
namespace {

// Some 45 for what is in the kernel and for processes that help, and a few per process and CPU.
constexpr rlim_t kFilesLeast = 64;

// Each observed process takes a pidfd and, where its libraries are shared with strangers, a few
// links: far more than the 1,024 that the default limit allows. After a command was started: it
// keeps the limit that it was given.
Result<void> raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return {};
  if (limit.rlim_max < kFilesLeast)
    return fail(Exit::kUnavailable, "cannot observe anything",
                fmt::format("compmond may have {} open files at most, and needs {} or more",
                            limit.rlim_max, kFilesLeast),
                "Raise the limit: ulimit -n (LimitNOFILE= of a service).");
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);  // where that fails, running out is reported
  return {};
}

// What writes into the targets' code has to be allowed, by the command line or by root's specs.
Result<void> allow(prepare::EngineOptions& engines, const std::vector<spec::Spec>& specs) {
  if (engines.allow_patching) return {};
  for (const spec::Spec& one : specs)
    if (one.allow_patching && !one.by_root)
      return fail(Exit::kNoPermission, fmt::format("will not patch what '{}' asks for", one.path),
                  "\"allow_patching\" counts where root owns the spec and nobody else may write it",
                  fmt::format("Give --allow-patching yourself, or: chown root '{}'", one.path));
  engines.allow_patching = std::ranges::all_of(specs, &spec::Spec::allow_patching);
  if (!engines::only_planned(engines.choice) || engines.allow_patching) return {};
  return fail(Exit::kUsage, "command line",
              "--engine " + engines.choice +
                  " writes into the code of running programs, which nobody allowed",
              "Allow it with --allow-patching (compmond check --engine " + engines.choice +
                  " tells what would be written), or observe with --engine " +
                  text::listed(engines::engine_list(engines).names(), "or") + ".");
}

}  // namespace

Result<LiveRun::Parts> prepare_run(const prepare::TargetOptions& target,
                                   const prepare::PlanningOptions& planning) {
  if (auto raised = raise_file_limit(); !raised) return Unexpected(std::move(raised.error()));
  auto specs = prepare::load_specs(planning);
  if (!specs) return Unexpected(specs.error());
  prepare::EngineOptions chosen = planning.engines;
  if (auto allowed = allow(chosen, *specs); !allowed) return Unexpected(allowed.error());
  engine::Engines engines = engines::engine_list(chosen);
  auto prepared = prepare::prepare(target, planning, std::move(*specs),
                                   {engines.planners(), engines::all_names()});
  if (!prepared) return Unexpected(prepared.error());
  const plan::Plan& plan = prepared->resolved.plan;
  if (const plan::OperationStates states(plan); states.observed() == 0)
    return fail(Exit::kData, "nothing to attach", plan::why_none_is_observed(plan, states),
                "`compmond check` shows the plan.");
  auto costs = engines.calibrate();
  if (!costs) return Unexpected(costs.error());
  return LiveRun::Parts{std::move(prepared->spec),
                        std::move(prepared->targets),
                        std::move(prepared->resolved),
                        std::move(engines),
                        std::move(*costs),
                        std::move(prepared->hindrances)};
}

}  // namespace compmond::run
