// SPDX-License-Identifier: Apache-2.0
#include "cli/cli_replay.h"

#include "cli/contradictions.h"
#include "cli/shared_flags.h"
#include "cli/validators.h"
#include "core/message.h"

namespace compmond::cli {

void ReplayFlags::add_to(CLI::App& app) {
  CLI::App& sub = *app.add_subcommand(
      "replay", "play a recorded log: the same table, summary and snapshot as live");
  app_ = &sub;
  sub.add_option("LOG", options_.log_path,
                 "a log that --record wrote, or one of Kieker (a folder, or an archive of one)")
      ->required();
  add_serve(sub, options_.front.serve);
  sub.add_flag("--keep", options_.front.serve.keep,
               "stay when the window is closed and at the log's end, until Ctrl-C")
      ->group("Output");
  sub.add_option("--speed", speed_,
                 "times the original speed, or max; unless given 1 where somebody may look (a "
                 "window, a terminal, --listen, --keep), else max")
      ->check(number_or_max())
      ->type_name("X|max");
  add_moment(sub, "--from", options_.run.from,
             "figures from TIME on: seconds after the run's start, or a time of day "
             "(2024-05-17T08:30:00, with a zone: …Z, …+02:00)");
  add_moment(sub, "--to", options_.run.to, "figures up to TIME");
  add_front(sub, options_.front, options_.run.exit_on_slo);
  add_raw_costs(sub, options_.run.raw_costs)->group("Output");
  sub.add_option(
         "--history", options_.run.history_mib,
         "memory for the newest executions and samples in full; as the run had unless given")
      ->check(within(1, 65536))
      ->type_name("MIB");
}

std::optional<int> ReplayFlags::run() {
  if (!app_->parsed()) return std::nullopt;
  if (const auto fine = check_replay(options_.front, options_.run); !fine)
    return report(fine.error());
  if (!speed_.empty()) options_.speed = number_or_word(speed_);
  return commands::replay_command(options_);
}

}  // namespace compmond::cli
