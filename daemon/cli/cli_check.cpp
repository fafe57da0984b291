// SPDX-License-Identifier: Apache-2.0
#include "cli/cli_check.h"

#include "cli/contradictions.h"
#include "commands/check.h"
#include "core/message.h"

namespace compmond::cli {

void CheckFlags::add_to(CLI::App& app) {
  CLI::App& sub = *app.add_subcommand(
      "check", "resolve and plan only: what would be attached, how, at what cost");
  app_ = &sub;
  add_planning(sub, options_.planning, planning_, /*plans_only=*/true);
  add_target(sub, options_.target);
  sub.add_flag("--json", options_.json, "as JSON");
}

std::optional<int> CheckFlags::run() {
  if (!app_->parsed()) return std::nullopt;
  planning_.put_into(options_.planning, *app_, options_.target);
  if (const auto fine = check_target(options_.target, options_.planning); !fine)
    return report(fine.error());
  if (const auto fine = check_engines(options_.planning.engines); !fine)
    return report(fine.error());
  return commands::check_command(options_);
}

}  // namespace compmond::cli
