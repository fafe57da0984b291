// SPDX-License-Identifier: Apache-2.0
#include "ui/program/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/safe_file.h"

namespace compmond::ui {
namespace {

constexpr size_t kTokenBytes = 4096;
constexpr const char* kDark = "dark";
constexpr int kLargest = 16'384;  // pixels along a side: what OpenGL draws at most

Result<void> read_size(const std::string& text, Options& options) {
  int width = 0, height = 0, used = 0;
  if (std::sscanf(text.c_str(), "%dx%d%n", &width, &height, &used) != 2 ||
      size_t(used) != text.size() || width < 640 || height < 480 || width > kLargest ||
      height > kLargest)
    return fail(Exit::kUsage, fmt::format("cannot make a window of '{}'", text), "it is no size",
                "Give width and height as 1280x800; 640x480 is the least.");
  options.size = Size{width, height};
  return {};
}

}  // namespace

Result<Options> read_options(int argc, char** argv) {
  Options options;
  std::string size, token_file;
  CLI::App cli("The window of compmond: where the time of a running program goes.", "compmond-ui");
  cli.set_version_flag("--version", "compmond-ui " COMPMOND_VERSION);
  auto* connect =
      cli.add_option("--connect", options.connect, "a running compmond: socket path or host:port")
          ->type_name("ADDR");
  auto* fd = cli.add_option("--fd", options.fd, "a connected socket instead")
                 ->type_name("N")
                 ->check(CLI::NonNegativeNumber);
  connect->excludes(fd);
  auto* token = cli.add_option("--token", options.token, "what a compmond on another host printed")
                    ->type_name("TEXT");
  cli.add_option("--token-file", token_file, "the same, from a file, which no process list shows")
      ->type_name("FILE")
      ->excludes(token);
  cli.add_option("--view", options.view, "the view to start with")->type_name("NAME");
  cli.add_option("--select", options.select, "the component to start with")->type_name("PATH");
  cli.add_option("--keys", options.keys,
                 "letter keys to press at the start, as V for a flame graph")
      ->type_name("LETTERS");
  cli.add_option_function<std::string>(
         "--theme", [&](const std::string& theme) { options.dark = theme == kDark; },
         "dark or light")
      ->check(CLI::IsMember({kDark, "light"}));
  cli.add_option("--size", size, "of the window")->type_name("WxH");
  cli.add_option("--screenshot", options.screenshot, "write a picture (PNG) and end")
      ->type_name("FILE");
  cli.add_option("--frames", options.frames,
                 "frames to draw before the picture, beyond the first complete one")
      ->type_name("N")
      ->check(CLI::Range(0, 100'000));
  try {
    cli.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      cli.exit(error);
      return fail(Exit::kOk, "", "");
    }
    return fail(Exit::kUsage, "cannot understand the command line", error.what(),
                "compmond-ui --help lists all options.");
  }
  if (options.connect.empty() && options.fd < 0)
    return fail(Exit::kUsage, "cannot open the window", "it has nothing to show",
                "Name a running compmond with --connect; it prints its address when it starts. Or "
                "start both: sudo compmond "
                "--spec FILE --pid PID");
  if (!token_file.empty()) {
    auto text = read_file(token_file, kTokenBytes);
    if (!text) return Unexpected(std::move(text.error()));
    options.token = text->substr(0, text->find_last_not_of(" \n\r\t") + 1);
  }
  if (!size.empty())
    if (auto read = read_size(size, options); !read) return Unexpected(std::move(read.error()));
  return options;
}

}  // namespace compmond::ui
