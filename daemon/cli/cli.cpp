// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "cli/cli_attach.h"
#include "cli/cli_check.h"
#include "cli/cli_control.h"
#include "cli/cli_logs.h"
#include "cli/cli_replay.h"
#include "cli/cli_suggest.h"
#include "cli/contradictions.h"
#include "cli/validators.h"
#include "commands/doctor.h"
#include "commands/restore.h"
#include "core/message.h"
#include "core/process_status.h"

namespace compmond::cli {
namespace {

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
    "69 kernel lacks a feature, 70 internal error, 73 output cannot be written, 77 no permission, "
    "128+N\n"
    "signal N came before anything was observed. `compmond: ready` on stderr says that everything "
    "is "
    "attached.";

constexpr const char* kDoctorFooter =
    "Examples:\n"
    "  sudo compmond doctor\n"
    "  compmond doctor, for what works without root\n"
    "\nExit codes: 0 something can be observed, 69 nothing can, 77 rights are lacking.";

constexpr const char* kRestoreFooter =
    "Examples:\n"
    "  sudo compmond restore, in all processes\n"
    "  sudo compmond restore 1234 1235\n"
    "\nExit codes: 0 all of them are as they were, 66 no such process, 69 it cannot be put back "
    "now, "
    "77 no permission.";

// With less it would end by SIGSEGV somewhere.
Result<void> check_stack() {
  constexpr rlim_t kStackBytes = 1u << 20;  // names are taken apart some 2,000 levels deep
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kStackBytes) return {};
  return fail(
      Exit::kUnavailable, "cannot start",
      fmt::format("the stack is limited to {} KiB, and 1,024 are needed", limit.rlim_cur / 1024),
      "Raise the limit: ulimit -s 8192 (LimitSTACK= of a service).");
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
    std::string of = "compmond";
    for (const CLI::App* sub : app.get_subcommands()) of += " " + sub->get_name();
    return report(wrong(error.what(), fmt::format("See {} --help.", of)).value());
  }
}

int usage(const std::string& why, const std::string& next) {
  return report(wrong(why, next).value());
}

int run(int argc, char** argv) {
  // What stands behind "--" is the command to start, untouched.
  char** const end = argv + argc;
  const int own = int(std::find(std::min(argv + 1, end), end, std::string_view("--")) - argv);
  if (own == argc - 1)
    return usage("nothing stands behind --", "Put the command there: -- CMD ARGS.");
  std::vector<std::string> command;
  if (own < argc) command.assign(argv + own + 1, end);

  CLI::App app("compmond: which component of a running native program takes the time?", "compmond");
  app.footer(kFooter);
  app.set_version_flag("--version", "compmond " COMPMOND_VERSION);
  app.require_subcommand(0, 1);
  AttachFlags attach;
  CheckFlags check;
  SuggestFlags suggest;
  ReplayFlags replay;
  ControlFlags control;
  LogCommands logs;
  attach.add_to(app);
  check.add_to(app);
  suggest.add_to(app);
  replay.add_to(app);
  control.add_to(app);
  CLI::App* doctor =
      app.add_subcommand("doctor", "what this machine can do, what is missing, the exact remedy");
  doctor->footer(kDoctorFooter);
  std::vector<pid_t> left_in;
  CLI::App* restore = app.add_subcommand(
      "restore", "put back what a compmond that was killed left patched in running programs");
  restore->footer(kRestoreFooter);
  restore->add_option("PID", left_in, "process to put back; none: all that have something of it")
      ->check(above_zero("a process id"));
  logs.add_to(app);

  if (const auto code = parse(app, own, argv)) return *code;
  for (const CLI::App* sub : app.get_subcommands())
    if (!command.empty())
      return usage(sub->get_name() + " starts nothing",
                   "Only a run does: leave out the subcommand or what stands behind --.");
  if (doctor->parsed()) return commands::doctor_command();
  if (restore->parsed()) return commands::restore_command(left_in);
  if (const auto code = logs.run()) return *code;
  if (const auto code = replay.run()) return *code;
  if (const auto code = control.run()) return *code;
  if (const auto code = check.run()) return *code;
  if (const auto code = suggest.run()) return *code;
  if (argc > 1) return attach.run(std::move(command));
  print("{}", app.help());
  return int(Exit::kUsage);
}

}  // namespace

int run_program(int argc, char** argv) {
  hold_standard_streams();
  ends_of_children_before();
  if (const auto enough = check_stack(); !enough) return report(enough.error());
  const int code = run(argc, argv);
  const auto written = finish_stdout();
  return written || code != 0 ? code : report(written.error());
}

}  // namespace compmond::cli
