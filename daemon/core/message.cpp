// SPDX-License-Identifier: Apache-2.0
#include "core/message.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <string_view>

#include "text/clean.h"

namespace compmond {
namespace {

// Whether stderr takes something within a second; once it has not, without waiting.
bool stderr_takes() {
  constexpr int kWaitMs = 1000;
  static std::atomic<int> wait_ms = kWaitMs;
  pollfd entry{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&entry, 1, wait_ms) != 0) return true;
  wait_ms = 0;
  return false;
}

// A stderr that is full or gone is no reason to stop, let alone to abort as fmt::print would; nor
// to wait for long while probes are in a program.
void put_message(std::string_view text) {
  while (!text.empty() && stderr_takes()) {
    // A pipe that takes something takes so much.
    const ssize_t n = ::write(STDERR_FILENO, text.data(), std::min<size_t>(text.size(), PIPE_BUF));
    if (n < 0 && errno != EINTR) return;
    text.remove_prefix(size_t(std::max<ssize_t>(n, 0)));
  }
}

// Names in messages come from files that nobody vouches for: nothing of them may steer the terminal
// or begin a line. Our own further lines are indented.
std::string harmless(const std::string& text) {
  std::string out;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find("\n  ", at), text.size());
    out += (at == 0 ? "" : "\n  ") + text::clean(text.substr(at, end - at));
    at = end == text.size() ? end + 1 : end + 3;
  }
  return out;
}

bool stdout_was_closed = false;  // from the beginning; set before there are threads

}  // namespace

Result<void> finish_stdout() {
  const bool failed = std::ferror(stdout) != 0;
  errno = 0;
  if ((std::fflush(stdout) == 0 && !failed) || stdout_was_closed) return {};
  std::clearerr(stdout);  // told once
  return fail_errno(Exit::kCantCreate, "cannot write to stdout", errno != 0 ? errno : EIO,
                    "Give it room, or a reader.");
}

void hold_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is this one. Opened the wrong way round: using it fails as a closed
    // one would.
    if (fd == STDOUT_FILENO) stdout_was_closed = true;
    (void)!::open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
  }
}

void say(const std::string& text) { put_message(fmt::format("compmond: {}\n", harmless(text))); }

void redraw(const std::string& text) { put_message(fmt::format("\r{}\x1b[K", harmless(text))); }

int report(const Error& error) {
  say(error.what + (error.why.empty() ? "" : ": " + error.why));
  if (!error.next.empty()) put_message(fmt::format("  → {}\n", harmless(error.next)));
  return int(error.code);
}

}  // namespace compmond
