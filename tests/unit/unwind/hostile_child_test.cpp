// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>

#include <string>

#include "captured.h"
#include "guard/channel.h"
#include "unwind/child_unwinder.h"
#include "unwind/messages.h"

// Children that were taken over by what they read, and play for time. Each test hangs where the
// unwinder waits for one.
using namespace compmond;
using namespace compmond::unwind::test;
using sampling::Ended;
using unwind::ChildUnwinder;
using unwind::Desk;
using unwind::Kind;

namespace {

void wait_for_something(const Fd& channel) {
  char byte = 0;
  (void)guard::receive_bytes(channel, &byte, 1);
}

void say(const Fd& channel, const std::string& bytes) { (void)guard::send_bytes(channel, bytes); }

void play_for_time(Desk& desk) {
  for (;;) ++desk.progress().steps;
}

// All children do `serve`: each is lost in the end, and the stacks are broken.
void check_bounded(const ChildUnwinder::Serve& serve) {
  ChildUnwinder::Patience patience;
  patience.still_ns = 50'000'000;
  patience.request_ns = 150'000'000;
  auto started = ChildUnwinder::start(serve, patience);
  if (!started) FAIL(started.error().text());
  tell_self(*started);
  for (uint64_t i = 0; i < 20'000; ++i)  // more than a socket takes
    started->map(7, {i << 12, (i << 12) + 4096, 0, 3});
  const Captured captured = capture();
  for (int i = 0; i < ChildUnwinder::kChildren; ++i)
    CHECK(walk_one(*started, captured).ended == Ended::kBroken);
  CHECK(started->take_notes().back() ==
        "stacks are not unwound any more: too many such processes were lost");
}

}  // namespace

TEST_CASE("hostile unwinder: one that seems to get on and never answers is given up") {
  check_bounded([](const Fd&, Desk& desk) { play_for_time(desk); });
}

TEST_CASE("hostile unwinder: an answer that comes byte by byte is given up") {
  check_bounded([](const Fd& channel, Desk& desk) {
    wait_for_something(channel);
    const std::string answer = unwind::message(Kind::kWalked, std::string(1 << 16, '\0'));
    say(channel, answer.substr(0, sizeof(unwind::Head)));
    for (size_t i = 0; i < (1u << 16) - 1; ++i) {
      say(channel, std::string(1, '\0'));
      for (int k = 0; k < 10'000; ++k) ++desk.progress().steps;
    }
    play_for_time(desk);
  });
}

TEST_CASE("hostile unwinder: half a message, and one that nobody takes, are given up") {
  check_bounded([](const Fd& channel, Desk& desk) {
    wait_for_something(channel);
    say(channel, "half");
    play_for_time(desk);
  });
  check_bounded([](const Fd& channel, Desk&) {
    wait_for_something(channel);
    say(channel, unwind::message(Kind::kMap, std::string(100, 'x')));
  });
}

TEST_CASE(
    "hostile unwinder: one that asks for debug files without end, and takes none, is given up") {
  check_bounded([](const Fd& channel, Desk&) {
    for (;;)
      for (uint32_t image = 0; image < 64; ++image)
        say(channel, unwind::packed(Kind::kOpen, image,
                                    std::string("/usr/lib/debug/.build-id/00/00.debug")));
  });
}

TEST_CASE("hostile unwinder: reports without end are given up") {
  check_bounded([](const Fd& channel, Desk&) {
    for (;;)
      say(channel,
          unwind::packed(Kind::kLeftOut, uint32_t(7), uint64_t(1), uint64_t(1), uint8_t(0)));
  });
}
