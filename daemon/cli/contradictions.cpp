// SPDX-License-Identifier: Apache-2.0
#include "cli/contradictions.h"

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "core/limits.h"
#include "engine/engines.h"
#include "engines/engine_list.h"
#include "export/inside.h"
#include "front/shown.h"
#include "text/nearest.h"

namespace compmond::cli {
namespace {

// However it is written, and through whatever links.
std::filesystem::path real(const std::string& path) {
  std::error_code error;
  auto out = std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  return error ? std::filesystem::path(path) : out;
}

// What goes with --record.
Result<void> check_recording(const run::AttachOptions& options) {
  if (options.record_path.empty() && (options.record_limit_mib > 0 || options.record_last_s > 0))
    return wrong("--record-limit and --record-last need a file", "Name it: --record FILE.");
  if (options.record_limit_mib > 0 && options.record_last_s > 0)
    return wrong("--record-limit does not go with --record-last",
                 "A flight recorder writes to disk only what SEC seconds hold.");
  if (!options.record_path.empty() &&
      (real(options.record_path) == real(options.front.snapshot_path) ||
       (options.record_limit_mib > 0 &&
        real(options.record_path + ".1") == real(options.front.snapshot_path))))
    return wrong("--record and --snapshot name the same file",
                 "The snapshot would take the log's place: name another.");
  return {};
}

// Whose process is whose has to be clear.
Result<void> check_several(const prepare::TargetOptions& target,
                           const std::vector<prepare::SpecFile>& specs) {
  constexpr const char* kSo = "Give each its own, as in --spec A --pid 1 --spec B --pid 2.";
  if (specs.size() > limits::kPrograms)
    return wrong(
        fmt::format("{} specs are given, and {} go together", specs.size(), limits::kPrograms),
        "Observe the others in a run of their own.");
  if (target.pids.empty()) return wrong("several specs go with --pid only", kSo);
  size_t behind = 0;
  for (const prepare::SpecFile& one : specs) {
    if (one.pids.empty())
      return wrong(fmt::format("no --pid stands behind --spec {}", one.path), kSo);
    behind += one.pids.size();
  }
  if (behind < target.pids.size())
    return wrong(fmt::format("--pid {} stands before the first --spec", target.pids.front()), kSo);
  return {};
}

}  // namespace

Unexpected wrong(const std::string& why, const std::string& next) {
  return fail(Exit::kUsage, "command line", why, next);
}

Result<void> check_target(const prepare::TargetOptions& target,
                          const prepare::PlanningOptions& planning) {
  if (planning.specs.empty())
    return wrong("--spec is missing",
                 "Name a component spec: --spec FILE. Examples are in specs/.");
  const int given =
      int(!target.pids.empty()) + int(!target.exe.empty()) + int(!target.command.empty());
  if (given == 0) return wrong("no target", "Give --pid PID, --exe PATH, or -- CMD ARGS.");
  if (given > 1)
    return wrong("more than one kind of target", "Give one of --pid, --exe and -- CMD ARGS.");
  if (planning.specs.size() > 1)
    if (auto fine = check_several(target, planning.specs); !fine) return fine;
  const bool narrowed =
      !target.user.empty() || !target.cgroup.empty() || target.pid_namespace.has_value();
  if (narrowed && target.exe.empty())
    return wrong("--user, --cgroup and --pid-namespace choose among the processes of --exe",
                 "Give --exe PATH, or leave them out.");
  return {};
}

Result<void> check_engines(const prepare::EngineOptions& engines) {
  const bool automatic = engines.choice == engine::Engines::kAuto ||
                         (engines::only_planned(engines.choice) && engines.allow_patching);
  const bool calls = automatic || engines::engine_list(engines).see_calls();
  const std::string chosen = "--engine " + engines.choice;
  if (engines.samples_hz.value_or(0) > 0 && !automatic && calls)
    return wrong("--samples does not go with " + chosen,
                 "It is that engine alone: leave --engine out to have samples beside probes.");
  if (engines.samples_hz == 0.0 && !calls)
    return wrong("--samples off leaves " + chosen + " nothing to do", "Leave one of them out.");
  if (!calls && !engines.attach.empty())
    return wrong(
        "--attach does not go with " + chosen,
        "It says how probes are attached, and " + engines.choice + " places none: leave it out.");
  return {};
}

Result<void> check_run(const run::AttachOptions& options) {
  const prepare::EngineOptions& chosen = options.planning.engines;
  if (chosen.allow_patching && chosen.choice != engine::Engines::kAuto &&
      !engines::only_planned(chosen.choice))
    return wrong("--allow-patching does not go with --engine " + chosen.choice,
                 "Nothing is patched by that: leave one of them out, or choose --engine " +
                     engines::only_planned().front().planner.engine + ".");
  if (auto fine = check_target(options.target, options.planning); !fine) return fine;
  if (auto fine = check_engines(chosen); !fine) return fine;
  if (auto fine = check_recording(options); !fine) return fine;
  const engine::Engines engines = engines::engine_list(chosen);
  engine::Engines probing = engines::all_engines();
  probing.choose_those_that_see_calls();
  if (options.exit_on_slo && !engines.see_calls())
    return wrong("--exit-on-slo does not go with --engine " + chosen.choice +
                     ": samples time no single call",
                 "Objectives need probes: --engine " + text::listed(probing.names(), "or") + ".");
  return front::check_shown(options.front, engines.see_calls(), !engines.samplers().empty());
}

Result<void> check_replay(const front::Options& front, const replay::ReplayRun::Options& options) {
  if (front.window_s > 0 && (options.from || options.to))
    return wrong("--window says the same as --from and --to", "Give one of them.");
  return check_times(options.from, options.to);
}

Result<void> check_times(const std::optional<text::Moment>& from,
                         const std::optional<text::Moment>& to) {
  const bool comparable = from && to && from->seconds.has_value() == to->seconds.has_value();
  if (!comparable || from->at(0) < to->at(0)) return {};
  return wrong("--to is not after --from", "Both are moments of the log.");
}

Result<void> check_analyze(const commands::AnalyzeOptions& options) {
  if (auto fine = check_times(options.inside.from, options.inside.to); !fine) return fine;
  const exporting::ReportOptions& of = options.report_options;
  const bool of_samples = options.report == exporting::kInsideReport;
  if (!of_samples && !options.inside.part.empty())
    return fail(Exit::kUsage, "cannot analyze traces so", "--component is of samples",
                "It goes with --report inside.");
  const bool of_traces =
      of.trace || of.class_number || of.level || options.repair || of.with_host || of.self_calls;
  if (of_samples && of_traces)
    return fail(Exit::kUsage, "cannot look inside so", "samples know no traces",
                "Leave --level, --trace, --class, --with-host, --self-calls and --repair out.");
  return {};
}

}  // namespace compmond::cli
