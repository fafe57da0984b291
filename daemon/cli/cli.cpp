// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <optional>

#include "cli/attach_command.h"
#include "cli/check_command.h"
#include "cli/cli_checks.h"
#include "cli/cli_logs.h"
#include "cli/doctor_command.h"
#include "cli/replay_command.h"
#include "core/message.h"
#include "figures/metric.h"
#include "run/engine_list.h"
#include "text/nearest.h"

namespace compmond::cli {
namespace {

std::vector<std::string> metric_names() {
  std::vector<std::string> out;
  for (const auto& metric : figures::metrics()) out.emplace_back(metric->name());
  return out;
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
  app.add_flag_callback(
         "--no-children", [&] { target.children = false; },
         "only the given processes, not those they fork")
      ->group("Target");
}

// Values of CLI's texts that need a second step.
struct Texts {
  std::string exit_mode = "auto", max_overhead = "5", speed, samples;
};

void add_planning(CLI::App& app, prepare::PlanningOptions& planning, Texts& texts) {
  app.add_option("--spec", planning.spec_path, "component spec (JSON), see specs/")
      ->type_name("FILE")
      ->group("What to observe");
  app.add_option("--exit-mode", texts.exit_mode,
                 "how exits are seen, for every operation that leaves it open: " +
                     text::listed(all_words<spec::ExitMode>(), "or"))
      ->check(CLI::IsMember(all_words<spec::ExitMode>()).description(""))
      ->type_name("MODE")
      ->group("What to observe");
  std::vector<std::string> engines = run::all_engines().names();
  engines.insert(engines.begin(), engine::Engines::kAuto);
  app.add_option("--engine", planning.engines.choice,
                 "what looks at the target: " + text::listed(engines, "or") +
                     " (auto: probes, with samples beside them; sampling places no probe: it tells "
                     "where time goes and counts no calls)")
      ->check(CLI::IsMember(engines).description(""))
      ->type_name("NAME")
      ->capture_default_str()
      ->group("What to observe");
  app.add_option("--samples", texts.samples,
                 "stacks per second and busy CPU: 99 beside probes unless given, 199 with --engine "
                 "sampling; off: none")
      ->check(rate_or_off())
      ->type_name("HZ|off")
      ->group("What to observe");
  app.add_flag("--many", planning.many, "allow more than 2,000 operations")
      ->group("What to observe");
  const std::vector<std::string> ways = run::all_engines().attach_words();
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

// What a run and a replay share.
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

// What is shown of a run, and what `exit_on_slo` decides.
void add_front(CLI::App& app, front::Options& options, bool& exit_on_slo) {
  app.add_option("--snapshot", options.snapshot_path,
                 "write a JSON snapshot at the end and on SIGUSR1; - is stdout")
      ->type_name("FILE")
      ->group("Output");
  app.add_option("--inside", options.inside.name,
                 "at the end also the functions inside a component or an operation, from samples")
      ->type_name("NAME")
      ->group("Output");
  app.add_option("--folded", options.inside.folded_path,
                 "with --inside: write its paths at the end as folded stacks, for flame graphs")
      ->needs("--inside")
      ->type_name("FILE")
      ->group("Output");
  app.add_option("--speedscope", options.inside.speedscope_path, "likewise for speedscope")
      ->needs("--inside")
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
}

void add_run(CLI::App& app, run::AttachOptions& options, Texts& texts) {
  add_serve(app, options.front.serve);
  app.add_flag("--keep", options.front.serve.keep, "go on when the window is closed")
      ->excludes(app.get_option("--headless"))
      ->group("Output");
  app.add_option("--duration", options.front.duration_s, "end after SEC seconds")
      ->check(above_zero())
      ->type_name("SEC")
      ->group("Output");
  add_front(app, options.front, options.exit_on_slo);
  app.add_option("--refresh", options.front.refresh_s, "redraw the live table every SEC seconds")
      ->check(within(0.04, 3600.0))
      ->type_name("SEC")
      ->capture_default_str()
      ->group("Output");
  app.add_option("--record", options.record_path,
                 "write everything captured to a log, for compmond replay and analyze")
      ->type_name("FILE")
      ->group("Recording");
  app.add_option("--record-limit", options.record_limit_mib,
                 "at most MIB on disk: FILE and, with what is older, FILE.1")
      ->check(within(1, 1 << 30))
      ->type_name("MIB")
      ->group("Recording");
  app.add_option(
         "--record-last", options.record_last_s,
         "keep only the last SEC seconds, in memory; SIGUSR2 writes them to FILE, and so does "
         "a missed objective (slo_ms)")
      ->check(above_zero())
      ->type_name("SEC")
      ->group("Recording");
  app.add_option("--max-overhead", texts.max_overhead,
                 "take the dearest probes away for a while when all together cost more than PCT of "
                 "the target's CPU time; off: count everything, however dear")
      ->check(percent_or_off())
      ->type_name("PCT|off")
      ->capture_default_str()
      ->group("What to observe");
  app.add_option("--history", options.history_mib, "memory for the newest executions in full")
      ->check(within(1, 65536))
      ->type_name("MIB")
      ->capture_default_str()
      ->group("Expert");
  app.add_option("--ring", options.ring_mib, "buffer between kernel and compmond; a power of two")
      ->check(power_of_two())
      ->type_name("MIB")
      ->capture_default_str()
      ->group("Expert");
}

void add_replay(CLI::App& app, ReplayOptions& options, Texts& texts) {
  app.add_option("LOG", options.log_path, "a log that --record wrote")->required();
  add_serve(app, options.front.serve);
  app.add_flag("--keep", options.front.serve.keep,
               "stay when the window is closed and at the log's end, until Ctrl-C")
      ->group("Output");
  app.add_option("--speed", texts.speed,
                 "times the original speed, or max; unless given 1 where somebody may look (a "
                 "window, a terminal, --listen, --keep), else max")
      ->check(number_or_max())
      ->type_name("X|max");
  app.add_option("--from", options.run.from_s, "figures from SEC seconds after the run's start on")
      ->check(within(0, 1e9))
      ->type_name("SEC");
  app.add_option("--to", options.run.to_s, "figures up to SEC seconds after the run's start")
      ->check(above_zero())
      ->type_name("SEC");
  add_front(app, options.front, options.run.exit_on_slo);
  app.add_option("--history", options.run.history_mib,
                 "memory for the newest executions in full; as the run had unless given")
      ->check(within(1, 65536))
      ->type_name("MIB");
}

constexpr const char* kFooter =
    "Examples:\n"
    "  sudo compmond --spec specs/filehost.json --pid 1234\n"
    "  sudo compmond --spec specs/postgresql.json --exe /usr/lib/postgresql/15/bin/postgres "
    "--duration 30 --snapshot pg.json\n"
    "  sudo compmond --spec app.json -- ./app --its-own-flags\n"
    "  compmond check --spec app.json --exe ./app\n"
    "  sudo compmond --spec app.json --pid 1234 --record app.log, then compmond replay app.log\n"
    "\nExit codes: 1 an objective was missed (--exit-on-slo), 64 usage, 65 bad spec or log, 66 no "
    "such target or file,\n"
    "69 kernel lacks a feature, 70 internal error, 73 output cannot be written, 77 no permission. "
    "`compmond: ready` on\n"
    "stderr says that everything is attached.";

int usage(const std::string& why, const std::string& next = "See compmond --help.") {
  return report({Exit::kUsage, "command line", why, next});
}

// One of --pid, --exe and (for a run) a command; 0 when fine.
int check_target(const prepare::TargetOptions& target, const prepare::PlanningOptions& planning) {
  if (planning.spec_path.empty())
    return usage("--spec is missing",
                 "Name a component spec: --spec FILE. Examples are in specs/.");
  const int given =
      int(!target.pids.empty()) + int(!target.exe.empty()) + int(!target.command.empty());
  if (given == 0) return usage("no target", "Give --pid PID, --exe PATH, or -- CMD ARGS.");
  if (given > 1)
    return usage("more than one kind of target", "Give one of --pid, --exe and -- CMD ARGS.");
  return 0;
}

int run_replay(ReplayOptions& options, const Texts& texts) {
  const std::optional<double>&from_s = options.run.from_s, &to_s = options.run.to_s;
  if (options.front.window_s > 0 && (from_s || to_s))
    return usage("--window says the same as --from and --to", "Give one of them.");
  if (to_s && from_s.value_or(0) >= *to_s)
    return usage("--to is not after --from", "Both count seconds from the run's start.");
  if (!texts.speed.empty()) options.speed = number_or_word(texts.speed);
  return replay_command(options);
}

// What goes with --record.
int check_recording(const run::AttachOptions& options) {
  if (options.record_path.empty() && (options.record_limit_mib > 0 || options.record_last_s > 0))
    return usage("--record-limit and --record-last need a file", "Name it: --record FILE.");
  if (options.record_limit_mib > 0 && options.record_last_s > 0)
    return usage("--record-limit does not go with --record-last",
                 "A flight recorder writes to disk only what SEC seconds hold.");
  return 0;
}

// What goes with which engine.
int check_engine(const prepare::EngineOptions& engines) {
  const bool automatic = engines.choice == engine::Engines::kAuto;
  const bool calls = automatic || run::engine_list(engines).see_calls();
  if (engines.samples_hz.value_or(0) > 0 && !automatic && calls)
    return usage("--samples does not go with --engine " + engines.choice,
                 "It is that engine alone: leave --engine out to have samples beside probes.");
  if (engines.samples_hz == 0.0 && !calls)
    return usage("--samples off leaves --engine sampling nothing to do", "Leave one of them out.");
  if (!calls && !engines.attach.empty())
    return usage("--attach does not go with --engine sampling",
                 "It says how probes are attached, and sampling places none: leave it out.");
  return 0;
}

// What samples cannot do.
int check_sampled_run(const run::AttachOptions& options) {
  if (run::engine_list(options.planning.engines).see_calls()) return 0;
  if (options.exit_on_slo)
    return usage("--exit-on-slo does not go with --engine sampling: samples time no single call",
                 "Objectives need probes: --engine uprobe.");
  return 0;
}

// The exit status where there is nothing more to do.
std::optional<int> parse(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    print("{}", app.help());
    return 0;
  } catch (const CLI::CallForVersion&) {
    print("compmond {}\n", COMPMOND_VERSION);
    return 0;
  } catch (const CLI::ParseError& error) {
    return usage(error.what());
  }
}

int run(int argc, char** argv) {
  run::AttachOptions attach;
  prepare::CheckOptions check;
  Texts attach_texts, check_texts;
  // What stands behind "--" is the command to start, untouched.
  char** const end = argv + argc;
  const int own = int(std::find(std::min(argv + 1, end), end, std::string_view("--")) - argv);
  if (own < argc) attach.target.command.assign(argv + own + 1, end);
  if (own == argc - 1)
    return usage("nothing stands behind --", "Put the command there: -- CMD ARGS.");

  CLI::App app("compmond: which component of a running native program takes the time?", "compmond");
  app.footer(kFooter);
  app.set_version_flag("--version", "compmond " COMPMOND_VERSION);
  app.require_subcommand(0, 1);
  add_planning(app, attach.planning, attach_texts);
  add_target(app, attach.target);
  add_run(app, attach, attach_texts);
  CLI::App* check_app = app.add_subcommand(
      "check", "resolve and plan only: what would be attached, how, at what cost");
  add_planning(*check_app, check.planning, check_texts);
  add_target(*check_app, check.target);
  check_app->add_flag("--json", check.json, "as JSON");
  ReplayOptions replay;
  Texts replay_texts;
  CLI::App* replay_app = app.add_subcommand(
      "replay", "play a recorded log: the same table, summary and snapshot as live");
  add_replay(*replay_app, replay, replay_texts);
  CLI::App* doctor_app =
      app.add_subcommand("doctor", "what this machine can do, what is missing, the exact remedy");

  LogCommands log_commands;
  log_commands.add_to(app);

  if (const auto code = parse(app, own, argv)) return *code;
  if (doctor_app->parsed()) return doctor_command();
  if (const auto code = log_commands.run()) return *code;
  if (replay_app->parsed()) {
    if (!attach.target.command.empty()) return usage("replay starts nothing", "Name a log only.");
    return run_replay(replay, replay_texts);
  }
  run::AttachOptions& a = attach;
  prepare::PlanningOptions& planning = check_app->parsed() ? check.planning : a.planning;
  const Texts& texts = check_app->parsed() ? check_texts : attach_texts;
  planning.exit_mode = *from_text<spec::ExitMode>(texts.exit_mode);
  if (!texts.samples.empty()) planning.engines.samples_hz = number_or_word(texts.samples);
  if (check_app->parsed()) {
    if (!a.target.command.empty()) return usage("check takes --pid or --exe", "It starts nothing.");
    if (const int code = check_target(check.target, check.planning)) return code;
    if (const int code = check_engine(planning.engines)) return code;
    return check_command(check);
  }
  if (argc == 1) {
    print("{}", app.help());
    return int(Exit::kUsage);
  }
  if (const int code = check_target(a.target, a.planning)) return code;
  if (const int code = check_engine(planning.engines)) return code;
  if (const int code = check_recording(a)) return code;
  if (const int code = check_sampled_run(a)) return code;
  a.max_overhead_pct = number_or_word(texts.max_overhead);
  return attach_command(a);
}

}  // namespace

int run_program(int argc, char** argv) {
  hold_standard_streams();
  const int code = run(argc, argv);
  const auto written = finish_stdout();
  return written || code != 0 ? code : report(written.error());
}

}  // namespace compmond::cli
