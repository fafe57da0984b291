// SPDX-License-Identifier: Apache-2.0
#include "run/prepare_run.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <utility>

#include "engines/engine_list.h"
#include "plan/states.h"
#include "prepare/prepare.h"

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

}  // namespace

Result<LiveRun::Parts> prepare_run(const prepare::TargetOptions& target,
                                   const prepare::PlanningOptions& planning) {
  if (auto raised = raise_file_limit(); !raised) return Unexpected(std::move(raised.error()));
  engine::Engines engines = engines::engine_list(planning.engines);
  auto prepared = prepare::prepare(target, planning, engines.planners());
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
