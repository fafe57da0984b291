// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <string>

#include "base/clock.h"
#include "guard/channel.h"
#include "guard/confined.h"

// Children that were taken over, and play for time. Each test hangs where its parent waits for one.
using namespace compmond;
using guard::Header;
using guard::Message;
using guard::Outcome;

namespace {

// The child's end of the channel: the only socket that it has.
int channel() {
  for (int fd = STDERR_FILENO + 1; fd < 64; ++fd) {
    struct stat st {};
    if (::fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode)) return fd;
  }
  return -1;
}

void say(const void* bytes, size_t size) {
  (void)::sendto(channel(), bytes, size, MSG_NOSIGNAL, nullptr, 0);
}

[[noreturn]] void hang() {
  for (volatile bool on = true; on;) {
  }
  ::_exit(0);
}

// A request for a file, or another message, as a child that is what it should be sends it.
std::string framed(Message kind, const std::string& payload) {
  const Header header{kind, uint32_t(payload.size())};
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + payload;
}

struct Met {
  Outcome outcome;
  int asked = 0;
};
Met met(const std::function<void(guard::Outside&)>& act, uint64_t deadline_ns = 100'000'000) {
  guard::ConfinedLimits limits;
  limits.deadline_ns = deadline_ns;
  Met out;
  auto outcome = guard::run_confined(
      {},
      [&](guard::Outside& outside) {
        act(outside);
        return std::string("done");
      },
      [&](uint32_t, const std::string&) {
        ++out.asked;
        return Fd(::open("/proc/self/comm", O_RDONLY | O_CLOEXEC));
      },
      limits);
  if (!outcome) FAIL(outcome.error().text());
  out.outcome = std::move(*outcome);
  CHECK_FALSE(out.outcome.whole);
  return out;
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

constexpr uint64_t kLong = 60'000'000'000;  // another bound is met before

}  // namespace

TEST_CASE("hostile child: half a head, or half a message, is not waited for beyond the deadline") {
  const std::string whole = framed(Message::kResult, std::string(1000, 'x'));
  for (const size_t part : {size_t(1), sizeof(Header) - 1, sizeof(Header), whole.size() - 1})
    CHECK(has(met([&](auto&) {
                say(whole.data(), part);
                hang();
              }).outcome.why,
              "did not end within"));
}

TEST_CASE("hostile child: a message that comes byte by byte ends at the deadline") {
  const std::string head = framed(Message::kResult, {}).substr(0, 4);
  const uint32_t size = 100'000'000;
  CHECK(has(met([&](auto&) {
              say(head.data(), head.size());
              say(&size, sizeof size);
              for (;;) say("x", 1);
            }).outcome.why,
            "did not end within"));
}

TEST_CASE("hostile child: endless messages, each as it should be, end at the deadline") {
  CHECK(has(met([](guard::Outside& outside) {
              for (;;) outside.at(7);
            }).outcome.why,
            "did not end within"));
}

TEST_CASE("hostile child: one that stops itself is ended at the deadline") {
  CHECK(has(
      met([](auto&) { (void)::syscall(SYS_tgkill, ::getpid(), ::gettid(), SIGSTOP); }).outcome.why,
      "did not end within"));
}

TEST_CASE("hostile child: one that asks for files and takes none does not hold up who answers") {
  const std::string request = framed(Message::kOpen, std::string(4, '\0') + "/x");
  const Met flood = met(
      [&](auto&) {
        for (;;) say(request.data(), request.size());
      },
      kLong);
  CHECK(flood.outcome.why == "asks and does not listen");
  CHECK(flood.asked > 1);
}

TEST_CASE("hostile child: one that asks for files without end is ended") {
  const Met greedy = met(
      [](guard::Outside& outside) {
        for (;;) (void)outside.open(0, "/x");
      },
      kLong);
  CHECK(greedy.outcome.why == "asked for too many files");
}

TEST_CASE("hostile child: descriptors that it sends are not taken in") {
  // Before it is confined, which forbids sending any.
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  const Fd ours(ends[0]), childs(ends[1]);
  const Fd file(::open("/proc/self/comm", O_RDONLY | O_CLOEXEC));
  for (int i = 0; i < 3; ++i) REQUIRE(guard::send_file(childs, file));
  const int next = ::dup(ours.get());
  ::close(next);
  std::string got;
  while (got.size() < 3)
    REQUIRE(guard::receive_some_until(ours, got, 3, monotonic_ns() + 1'000'000'000));
  const int after = ::dup(ours.get());
  ::close(after);
  CHECK(after == next);
}

TEST_CASE("channel: neither sending nor receiving goes on beyond its end") {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  const Fd ours(ends[0]), theirs(ends[1]);
  const auto soon = [] { return monotonic_ns() + 20'000'000; };
  std::string got;
  CHECK_FALSE(guard::receive_some_until(ours, got, 1, soon()));
  CHECK_FALSE(guard::receive_file(ours, soon()).valid());
  CHECK_FALSE(guard::send_bytes(ours, std::string(64u << 20, 'x'), soon()));
  CHECK_FALSE(guard::send_file(ours, theirs, soon()));
}

TEST_CASE("channel: a child that serves and will not end is killed") {
  auto child = guard::start_child("cannot start", [](const Fd&) {
    for (;;) ::pause();
  });
  REQUIRE(child);
  { const guard::Child gone = std::move(*child); }
  CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
  CHECK(errno == ECHILD);
}
