// SPDX-License-Identifier: Apache-2.0
#include "terminal/live.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace compmond::terminal {
namespace {

std::string up_and_clear(size_t lines) {
  std::string out = "\r";
  if (lines > 0) out += "\x1b[" + std::to_string(lines) + "A";
  return out + "\x1b[J";
}

}  // namespace

Live::Live(int fd) : fd_(fd) {
  const char* term = std::getenv("TERM");
  if (::isatty(fd) == 0 || !term || std::strcmp(term, "dumb") == 0) return;
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  terminal_.reset(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!on()) failure_ = errno;
}

void Live::write_rest() {
  while (!rest_.empty()) {
    const ssize_t n = ::write(terminal_.get(), rest_.data(), rest_.size());
    if (n <= 0) return;  // full, or a terminal that went away: the run goes on
    rest_.erase(0, size_t(n));
  }
}

void Live::show(const snapshot::Snapshot& snapshot) {
  if (!on()) return;
  write_rest();
  if (!rest_.empty()) return;
  Style style = style_of(fd_);              // anew each time: the terminal may have been resized
  if (style.height > 1) style.height -= 1;  // the cursor's own line
  const std::string text = table(snapshot, style);
  rest_ = up_and_clear(lines_) + text;
  lines_ = size_t(std::count(text.begin(), text.end(), '\n'));
  write_rest();
}

void Live::clear() {
  if (!on()) return;
  rest_ += up_and_clear(std::exchange(lines_, 0));
  const int flags = ::fcntl(terminal_.get(), F_GETFL);
  ::fcntl(terminal_.get(), F_SETFL, flags & ~O_NONBLOCK);
  write_rest();
}

}  // namespace compmond::terminal
