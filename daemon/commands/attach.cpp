// SPDX-License-Identifier: Apache-2.0
#include "commands/attach.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "core/message.h"
#include "core/process_status.h"
#include "front/front.h"
#include "guard/rights.h"
#include "prepare/launcher.h"
#include "run/live_run.h"
#include "run/prepare_run.h"

namespace compmond::commands {
namespace {

// From the first message to the summary: the exit code, of a missed objective or else that of the
// command that was started.
Result<int> attach(run::AttachOptions options) {
  auto front = front::Front::open(options.front);
  if (!front) return Unexpected(std::move(front.error()));
  std::optional<prepare::Launcher> command;
  if (!options.target.command.empty()) {
    auto started = prepare::Launcher::start(
        options.target.command, prepare::EntryStop::Way::kRegister, (*front)->blocked_before());
    if (!started) return Unexpected(std::move(started.error()));
    if (const auto status = started->early_end()) {
      say(fmt::format("'{}' {} before its own code began: nothing of it was observed",
                      options.target.command.front(), status_text(*status)));
      return exit_code_of(*status);
    }
    command.emplace(std::move(*started));
    options.target.pids = {command->pid()};
  }
  auto parts = run::prepare_run(options.target, options.planning);
  if (!parts) return Unexpected(std::move(parts.error()));
  if (command) parts->command.emplace(std::move(*command));
  auto run = run::LiveRun::attach(std::move(*parts), options);
  if (!run) return Unexpected(std::move(run.error()));
  // While the rights to become its user are there.
  if (auto shown = (*front)->show(**run); !shown) return Unexpected(std::move(shown.error()));
  // From here on nothing is opened, run or looked at that takes rights; threads come after.
  if (auto done = guard::give_up_rights((*run)->needs()); !done)
    return Unexpected(std::move(done.error()));
  if (auto begun = (*run)->record(); !begun) return Unexpected(std::move(begun.error()));
  say("ready");
  if (auto driven = (*front)->drive(); !driven) return Unexpected(std::move(driven.error()));
  const bool missed = (*run)->missed_objective().has_value();
  if (auto failure = (*run)->log_failure()) {
    if (!missed) return Unexpected(std::move(*failure));
    report(*failure);
  }
  return missed ? int(Exit::kOverBudget) : (*run)->exit_code();
}

}  // namespace

int attach_command(const run::AttachOptions& options) {
  const auto code = attach(options);
  return code ? *code : report(code.error());
}

}  // namespace compmond::commands
