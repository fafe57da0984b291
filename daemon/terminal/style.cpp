// SPDX-License-Identifier: Apache-2.0
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "terminal/table.h"
#include "text/match.h"

namespace compmond::terminal {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// As setlocale would choose: the first of these that is set and not empty.
bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = variable(name);
    if (!value.empty()) return text::contains(value, "utf-8") || text::contains(value, "utf8");
  }
  return false;
}

}  // namespace

Style style_of(int fd) {
  Style style;
  const bool dumb = variable("TERM") == "dumb";
  const bool terminal = ::isatty(fd) != 0;
  style.colour = terminal && !dumb && variable("NO_COLOR").empty();
  style.unicode = locale_is_utf8() && !dumb;
  winsize size{};
  if (terminal && ::ioctl(fd, TIOCGWINSZ, &size) == 0) {
    if (size.ws_col > 0) style.width = size.ws_col;
    style.height = size.ws_row;
  }
  return style;
}

}  // namespace compmond::terminal
