// SPDX-License-Identifier: Apache-2.0
#include "terminal/live.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace compmond::terminal {
namespace {

void write_all(int fd, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n <= 0) return;  // a terminal that went away: the run goes on
    done += size_t(n);
  }
}

std::string up_and_clear(size_t lines) {
  std::string out = "\r";
  if (lines > 0) out += "\x1b[" + std::to_string(lines) + "A";
  return out + "\x1b[J";
}

}  // namespace

Live::Live(int fd) : fd_(fd) {
  const char* term = std::getenv("TERM");
  on_ = ::isatty(fd) != 0 && term && std::strcmp(term, "dumb") != 0;
}

void Live::show(const snapshot::Snapshot& snapshot) {
  if (!on_) return;
  Style style = style_of(fd_);              // anew each time: the terminal may have been resized
  if (style.height > 1) style.height -= 1;  // the cursor's own line
  const std::string text = table(snapshot, style);
  write_all(fd_, up_and_clear(lines_) + text);
  lines_ = size_t(std::count(text.begin(), text.end(), '\n'));
}

void Live::clear() {
  if (on_) write_all(fd_, up_and_clear(lines_));
  lines_ = 0;
}

}  // namespace compmond::terminal
