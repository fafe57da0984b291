// SPDX-License-Identifier: Apache-2.0
#include "cli/cli_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "protocol/action.h"
#include "text/nearest.h"

namespace compmond::cli {
namespace {

constexpr const char* kActions =
    "Of a live run:\n"
    "  disable WHAT, enable WHAT   takes the probes of WHAT away, and places them again: a "
    "component\n"
    "                              (with all it contains), an operation, or a pattern (*, ?)\n"
    "  pause-probes, resume-probes likewise all probes (as kill -s RTMIN+1 does)\n"
    "Of a replay:\n"
    "  pause, play [SPEED|max], step [EVENTS], seek SEC\n"
    "Of both:\n"
    "  stop, snapshot (writes the file of --snapshot), record (that of --record-last)\n"
    "\nExamples:\n"
    "  sudo compmond control 4838 disable Locks\n"
    "  sudo compmond control 4838 enable 'Executor/*'\n"
    "  sudo compmond control /run/compmond/4838.sock pause-probes";

// Empty where there is such an action.
std::string wrong_action(const std::string& text) {
  const auto actions = all_words<snapshot::Action>();
  if (std::ranges::find(actions, text) != actions.end()) return {};
  const std::vector<std::string_view> known(actions.begin(), actions.end());
  const std::string meant = text::did_you_mean(text, known);
  return fmt::format("there is no '{}'. {}", text,
                     meant.empty() ? fmt::format("There are {}.", text::listed(actions)) : meant);
}

}  // namespace

void ControlFlags::add_to(CLI::App& app) {
  CLI::App& sub = *app.add_subcommand(
      "control", "have a running compmond switch probes off and on, write a snapshot, end …");
  app_ = &sub;
  sub.footer(kActions);
  sub.add_option("RUN", options_.run,
                 "compmond's process id, or an address as of compmond-ui --connect")
      ->required();
  sub.add_option("ACTION", options_.action, "what it is to do, see below")
      ->required()
      ->check(CLI::Validator(wrong_action, ""));
  sub.add_option("WHAT", options_.what, "see below");
  sub.add_option("--token", options_.token, "what a compmond on another host wants to hear first")
      ->type_name("WORD");
}

std::optional<int> ControlFlags::run() {
  if (!app_->parsed()) return std::nullopt;
  return commands::control_command(options_);
}

}  // namespace compmond::cli
