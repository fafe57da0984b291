// SPDX-License-Identifier: Apache-2.0
#include "prepare/loader.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/clock.h"
#include "base/fd.h"
#include "base/thread.h"
#include "core/process_status.h"
#include "guard/read_only.h"
#include "text/clean.h"

namespace compmond::prepare {
namespace {

constexpr const char* kLoader = "/lib64/ld-linux-x86-64.so.2";
constexpr uint64_t kDeadlineNs =
    5'000'000'000;  // a loader that hangs on a network path must not hold us
constexpr size_t kOutputBytes = 1u << 20;
constexpr char kRefused = '!';  // before why there is no loader; its own lines begin with a blank

[[noreturn]] void become_loader(const std::string& program, int output) {
  if (::dup2(output, STDOUT_FILENO) < 0) ::_exit(127);
  if (const std::string why = guard::only_read(program); !why.empty()) {
    const std::string text = kRefused + why;
    (void)!::write(STDOUT_FILENO, text.data(), text.size());
    ::_exit(127);
  }
  const char* argv[] = {kLoader, "--list", program.c_str(), nullptr};
  const char* environment[] = {nullptr};
  ::execve(kLoader, const_cast<char**>(argv), const_cast<char**>(environment));
  ::_exit(127);
}

std::string read_until_deadline(int fd) {
  std::string out;
  const uint64_t end = monotonic_ns() + kDeadlineNs;
  char buffer[4096];
  while (out.size() < kOutputBytes) {
    const uint64_t now = monotonic_ns();
    pollfd entry{fd, POLLIN, 0};
    if (now >= end || ::poll(&entry, 1, int((end - now) / 1'000'000) + 1) <= 0) return {};
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    out.append(buffer, size_t(n));
  }
  return out;
}

}  // namespace

std::vector<std::string> libraries_listed(const std::string& listing) {
  std::vector<std::string> out;
  for (size_t at = 0; at < listing.size();) {
    const size_t end = std::min(listing.find('\n', at), listing.size());
    const std::string line = listing.substr(at, end - at);
    at = end + 1;
    if (line[0] != '\t' || text::has_control(std::string_view(line).substr(1))) return {};
    const size_t arrow = line.find("=> /");
    const size_t address = line.rfind(" (0x");
    if (arrow != std::string::npos && address != std::string::npos && address > arrow)
      out.push_back(line.substr(arrow + 3, address - arrow - 3));
  }
  return out;
}

Result<std::vector<std::string>> libraries_of(const std::string& program) {
  const std::string what = fmt::format("cannot tell which libraries '{}' loads", program);
  const char* next = "Start it first, or give a library in the spec by its full path.";
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno(Exit::kUnavailable, what, errno, next);
  Fd read_end(ends[0]), write_end(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) return fail_to_start(what, errno);
  if (pid == 0) become_loader(program, write_end.get());
  write_end.reset();
  const std::string text = read_until_deadline(read_end.get());
  ::kill(pid, SIGKILL);  // it has said what it had to say
  wait_for(pid);
  if (text.starts_with(kRefused)) return fail(Exit::kUnavailable, what, text.substr(1), next);
  return libraries_listed(text);
}

}  // namespace compmond::prepare
