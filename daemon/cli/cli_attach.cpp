// SPDX-License-Identifier: Apache-2.0
#include "cli/cli_attach.h"

#include <utility>

#include "cli/contradictions.h"
#include "cli/validators.h"
#include "commands/attach.h"
#include "core/message.h"

namespace compmond::cli {

void AttachFlags::add_to(CLI::App& app) {
  app_ = &app;
  add_planning(app, options_.planning, planning_);
  add_target(app, options_.target);
  add_serve(app, options_.front.serve);
  app.add_flag("--keep", options_.front.serve.keep, "go on when the window is closed")
      ->excludes(app.get_option("--headless"))
      ->group("Output");
  app.add_option("--duration", options_.front.duration_s,
                 "end after SEC seconds, or as in 90s, 5m, 2h")
      ->transform(a_duration())
      ->type_name("SEC")
      ->group("Output");
  add_front(app, options_.front, options_.exit_on_slo);
  app.add_option("--refresh", options_.front.refresh_s, "redraw the live table every SEC seconds")
      ->check(within(0.04, 3600.0))
      ->type_name("SEC")
      ->capture_default_str()
      ->group("Output");
  app.add_option(
         "--max-overhead", max_overhead_,
         "what observing may cost: PCT of the target's CPU time, or 1 % of one core where "
         "that is more; above it the dear probes go and samples tell the time, and what must see "
         "every call (landmarks, contexts, objectives with --exit-on-slo) stays up to half "
         "of it; off: count everything, however dear, though all times suffer from it")
      ->check(percent_or_off())
      ->type_name("PCT|off")
      ->capture_default_str()
      ->group("What to observe");
  add_raw_costs(app, options_.raw_costs)->group("Output");
  add_recording(app);
  add_expert(app);
}

void AttachFlags::add_recording(CLI::App& app) {
  app.add_option("--record", options_.record_path,
                 "write everything captured to a log, for compmond replay and analyze")
      ->check(a_file())
      ->type_name("FILE")
      ->group("Recording");
  app.add_option("--record-limit", options_.record_limit_mib,
                 "at most MIB on disk: FILE and, with what is older, FILE.1")
      ->check(within(1, 1 << 30))
      ->type_name("MIB")
      ->group("Recording");
  app.add_option(
         "--record-last", options_.record_last_s,
         "keep only the last SEC seconds, in memory; SIGUSR2 writes them to FILE, and so does "
         "a missed objective (slo_ms)")
      ->check(above_zero())
      ->type_name("SEC")
      ->group("Recording");
}

void AttachFlags::add_expert(CLI::App& app) {
  app.add_option("--history", options_.history_mib,
                 "memory for the newest executions and samples in full")
      ->check(within(1, 65536))
      ->type_name("MIB")
      ->capture_default_str()
      ->group("Expert");
  app.add_option("--ring", options_.ring_mib, "buffer between kernel and compmond; a power of two")
      ->check(power_of_two())
      ->type_name("MIB")
      ->capture_default_str()
      ->group("Expert");
}

int AttachFlags::run(std::vector<std::string> command) {
  options_.target.command = std::move(command);
  planning_.put_into(options_.planning, *app_, options_.target);
  options_.max_overhead_pct = number_or_word(max_overhead_);
  if (const auto fine = check_run(options_); !fine) return report(fine.error());
  return commands::attach_command(options_);
}

}  // namespace compmond::cli
