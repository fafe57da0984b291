// SPDX-License-Identifier: Apache-2.0
#include "cli/cli_suggest.h"

#include "cli/contradictions.h"
#include "cli/shared_flags.h"
#include "core/message.h"

namespace compmond::cli {

void SuggestFlags::add_to(CLI::App& app) {
  CLI::App& sub = *app.add_subcommand(
      "suggest", "draft a spec, from names, code, and what a running program does");
  app_ = &sub;
  sub.footer(
      "Examples:\n"
      "  sudo compmond suggest --pid 1234 -o app.json, then sudo compmond --spec app.json --pid "
      "1234\n"
      "  sudo compmond suggest --exe /usr/sbin/nginx --seconds 20 -o nginx.json\n"
      "  compmond suggest --exe ./app --no-look, for what names and code say alone\n"
      "\nOf a running program samples are taken for some seconds, then calls counted for as long. "
      "Do what\n"
      "you want to know about meanwhile: a draft is about what it has seen.");
  add_target(sub, options_.target);
  sub.add_option("-o,--output", options_.output, "file of the spec; absent: stdout")
      ->type_name("FILE");
  sub.add_option("--seconds", options_.seconds,
                 "how long samples are taken, and calls counted after that (default 10)")
      ->check(CLI::Range(1.0, 600.0))
      ->type_name("S");
  sub.add_flag_callback(
      "--no-look", [this] { options_.look = false; }, "look at no process, only at files");
  sub.add_flag("--interactive", options_.interactive,
               "show the draft on the terminal: accept, drop, rename, merge");
}

std::optional<int> SuggestFlags::run() {
  if (!app_->parsed()) return std::nullopt;
  prepare::PlanningOptions any;
  any.specs.emplace_back();
  if (const auto fine = check_target(options_.target, any); !fine) return report(fine.error());
  return commands::suggest_command(options_);
}

}  // namespace compmond::cli
