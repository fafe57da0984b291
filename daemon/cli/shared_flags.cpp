// SPDX-License-Identifier: Apache-2.0
#include "cli/shared_flags.h"

#include <vector>

#include "cli/validators.h"
#include "engines/engine_list.h"
#include "figures/metric.h"
#include "text/nearest.h"

namespace compmond::cli {
namespace {

std::vector<std::string> metric_names() {
  std::vector<std::string> out;
  for (const auto& metric : figures::metrics()) out.emplace_back(metric->name());
  return out;
}

}  // namespace

void PlanningTexts::put_into(prepare::PlanningOptions& planning, const CLI::App& app,
                             const prepare::TargetOptions& target) const {
  // A process is of the spec that it stands behind.
  auto pid = target.pids.begin();
  auto path = specs.begin();
  for (const CLI::Option* option : app.parse_order()) {
    if (option->check_name("--spec")) planning.specs.push_back({*path++, {}});
    if (!option->check_name("--pid")) continue;
    if (!planning.specs.empty()) planning.specs.back().pids.push_back(*pid);
    ++pid;
  }
  planning.exit_mode = *from_text<spec::ExitMode>(exit_mode);
  if (!samples.empty()) planning.engines.samples_hz = number_or_word(samples);
}

void add_target(CLI::App& app, prepare::TargetOptions& target) {
  app.add_option("--pid", target.pids,
                 "process to observe, with what it forks; may be given several times")
      ->check(above_zero("a process id"))
      ->type_name("PID")
      ->group("Target");
  app.add_option("--exe", target.exe, "observe all processes of this program, also future ones")
      ->type_name("PATH")
      ->group("Target");
  app.add_option("--user", target.user, "with --exe: only processes that run as this user")
      ->check(not_empty("the name or the number of a user"))
      ->type_name("NAME")
      ->group("Target");
  app.add_option("--cgroup", target.cgroup,
                 "with --exe: only processes in this cgroup or below, such as "
                 "system.slice/nginx.service")
      ->check(not_empty("the folder of a cgroup"))
      ->type_name("FOLDER")
      ->group("Target");
  app.add_option("--pid-namespace", target.pid_namespace,
                 "with --exe: only processes in the pid namespace (of a container) that process "
                 "PID is in")
      ->check(above_zero("a process id"))
      ->type_name("PID")
      ->group("Target");
  app.add_flag_callback(
         "--no-children", [&] { target.children = false; },
         "only the given processes, not those they fork")
      ->group("Target");
}

void add_planning(CLI::App& app, prepare::PlanningOptions& planning, PlanningTexts& texts,
                  bool plans_only) {
  app.add_option("--spec", texts.specs,
                 "component spec (JSON), see specs/; several, each with its own --pid behind it, "
                 "observe several programs together")
      ->check(a_file())
      ->allow_extra_args(false)
      ->type_name("FILE")
      ->group("What to observe");
  app.add_option("--exit-mode", texts.exit_mode,
                 "how exits are seen, for every operation that leaves it open: " +
                     text::listed(all_words<spec::ExitMode>(), "or"))
      ->check(CLI::IsMember(all_words<spec::ExitMode>()).description(""))
      ->type_name("MODE")
      ->group("What to observe");
  const engine::Engines all = engines::all_engines();
  const std::string samplers = text::listed(all.samplers(), "or");
  std::vector<std::string> offered = all.names(), planned;
  for (const engines::OnlyPlanned& one : engines::only_planned())
    planned.push_back(one.planner.engine);
  offered.insert(offered.begin(), engine::Engines::kAuto);
  offered.insert(offered.end(), planned.begin(), planned.end());
  app.add_option("--engine", planning.engines.choice,
                 "what looks at the target: " + text::listed(offered, "or") +
                     " (auto: probes, with samples beside them; " + samplers +
                     " places no probe: it tells where time goes and counts no calls" + "; " +
                     text::listed(planned) +
                     (plans_only ? " would patch jumps into functions: which, how, at what cost"
                                 : " patches jumps into functions, some 25 ns a call, and wants "
                                   "--allow-patching") +
                     ")")
      ->check(CLI::IsMember(offered).description(""))
      ->type_name("NAME")
      ->capture_default_str()
      ->group("What to observe");
  app.add_option(
         "--samples", texts.samples,
         "stacks per second and busy CPU: 99 beside probes unless given, 199 with --engine " +
             samplers + "; off: none")
      ->check(rate_or_off())
      ->type_name("HZ|off")
      ->group("What to observe");
  if (!plans_only)
    app.add_flag(
           "--allow-patching", planning.engines.allow_patching,
           "let compmond write jumps into the code of the running program, and put it back in the "
           "end: functions that are too dear for probes tell of each call, for some 30 ns; with "
           "--engine " +
               text::listed(planned, "or") + " all that can")
        ->group("What to observe");
  app.add_flag("--many", planning.many, "allow more than 2,000 operations")
      ->group("What to observe");
  const std::vector<std::string> ways = all.attach_words();
  app.add_option(
         "--attach", planning.engines.attach,
         "force a way to attach instead of the best that works: " + text::listed(ways, "or"))
      ->check(CLI::IsMember(ways).description(""))
      ->type_name("WAY")
      ->group("Expert");
  app.add_flag_callback(
         "--no-move", [&] { planning.move_probes = false; },
         "probe at the first instruction always, however dear")
      ->group("Expert");
}

void add_serve(CLI::App& app, front::ServeOptions& options) {
  app.add_flag("--headless", options.headless, "no window: the table in the terminal")
      ->group("Output");
  app.add_flag("--ui", options.ui,
               "a window, or an error (without either flag: a window where there is a display)")
      ->excludes(app.get_option("--headless"))
      ->group("Output");
  app.add_option("--listen", options.listen,
                 "let windows connect there too: host:port, :port (this host only) or a socket's "
                 "path; beyond this host they need a token")
      ->type_name("ADDR")
      ->group("Output");
  app.add_option("--listen-token-file", options.token_file,
                 "its first line is the token that windows over TCP have to show")
      ->type_name("FILE")
      ->group("Output");
}

void add_moment(CLI::App& app, const char* flag, std::optional<text::Moment>& to,
                const char* what) {
  app.add_option_function<std::string>(
         flag, [&to](const std::string& text) { to = text::parse_moment(text); }, what)
      ->check(a_moment())
      ->type_name("TIME");
}

CLI::Option* add_raw_costs(CLI::App& app, bool& raw_costs) {
  return app.add_flag("--raw-costs", raw_costs,
                      "leave in net real times what the probes cost, as it was measured");
}

void add_front(CLI::App& app, front::Options& options, bool& exit_on_slo) {
  app.add_option("--snapshot", options.snapshot_path,
                 "write a JSON snapshot at the end and on SIGUSR1; - is stdout")
      ->check(a_file())
      ->type_name("FILE")
      ->group("Output");
  app.add_option("--inside", options.inside.name,
                 "at the end also the functions inside a component or an operation, from samples")
      ->check(not_empty("the name of a component or an operation"))
      ->type_name("NAME")
      ->group("Output");
  app.add_option("--folded", options.inside.folded_path,
                 "with --inside: write its paths at the end as folded stacks, for flame graphs")
      ->needs("--inside")
      ->check(a_file())
      ->type_name("FILE")
      ->group("Output");
  app.add_option("--speedscope", options.inside.speedscope_path, "likewise for speedscope")
      ->needs("--inside")
      ->check(a_file())
      ->type_name("FILE")
      ->group("Output");
  app.add_option("--window", options.window_s,
                 "figures of the last SEC seconds instead of the whole run")
      ->check(above_zero())
      ->type_name("SEC")
      ->group("Output");
  app.add_flag("--exit-on-slo", exit_on_slo,
               "end with exit code 1 as soon as an execution misses its objective (slo_ms)")
      ->group("Output");
  options.metric = metric_names().front();
  app.add_option("--metric", options.metric,
                 "what makes a component hot: " + text::listed(metric_names(), "or"))
      ->check(CLI::IsMember(metric_names()).description(""))
      ->type_name("NAME")
      ->capture_default_str()
      ->group("Output");
  app.add_option_function<std::string>(
         "--heat",
         [&options](const std::string& word) { options.heat.scale = Word<HeatScale>(word); },
         "what hotness 100 is: the most in the window, the most of the run, or a whole CPU (wall)")
      ->check(CLI::IsMember(all_words<HeatScale>()).description(""))
      ->type_name("window|run|wall")
      ->group("Output");
  app.add_option("--heat-floor", options.heat.floor_pct,
                 "times below PCT of a CPU in the window make nothing hot")
      ->check(CLI::Range(0.0, 100.0).description(""))
      ->type_name("PCT")
      ->capture_default_str()
      ->group("Output");
  app.add_option("--baseline", options.baseline_path,
                 "a saved snapshot that the metric deviation compares with")
      ->check(a_file())
      ->type_name("FILE")
      ->group("Output");
}

}  // namespace compmond::cli
