// SPDX-License-Identifier: Apache-2.0
#include "opened.h"
#include "recorded.h"
#include "replay/replay_run.h"
#include "replay/replay_transport.h"

using namespace compmond;
using replay::test::kMs;
using replay::test::kStart;
using replay::test::opened;
using replay::test::Recorded;

namespace {

std::string asked(replay::ReplayTransport& transport, const std::string& action,
                  std::optional<double> value = std::nullopt) {
  const auto done = transport.control({1, Word<snapshot::Action>(action), value});
  return done ? *done : "not: " + done.error().why;
}

}  // namespace

TEST_CASE("transport: seek, step and pause hold the replay where they say") {
  const Recorded run;
  auto replay = opened(run.path);
  replay::ReplayTransport transport(replay->player(), replay->player().source().end_ns());
  CHECK(asked(transport, "seek", 0.8) == "stands at 0.800 s");
  const uint64_t events = replay->player().position().events;
  CHECK(asked(transport, "step") == "stands at 1.000 s");
  CHECK(replay->player().position().events == events + 1);
  CHECK(asked(transport, "seek", 0.4) == "stands at 0.400 s");
  CHECK(asked(transport, "pause") == "paused at 0.400 s");
  CHECK(asked(transport, "play", 1e-6).starts_with("plays at 1e-06 times"));
  CHECK(asked(transport, "seek", 0.5) == "plays on at 0.500 s");
  CHECK(replay->player().position().moving);
  CHECK(asked(transport, "play", 0).starts_with("plays as fast"));
  while (!transport.done()) transport.service();
  transport.service();
  CHECK(asked(transport, "step") == "not: the replay is at its end: seek first");
  CHECK(asked(transport, "seek", 0) == "stands at 0.000 s");
  CHECK(asked(transport, "seek", 99) == "stands at 2.000 s");
  CHECK(replay->player().position().at_end);
  CHECK(asked(transport, "play", 1e-6).starts_with("plays at 1e-06 times"));  // once more
  while (replay->player().position().events == 0) transport.service();
  CHECK(!transport.done());
  CHECK(replay->player().position().time_ns < kStart + 100 * kMs);
}

TEST_CASE("transport: plays from a place on, and not beyond its last moment") {
  const Recorded run;
  auto replay = opened(run.path);
  replay::ReplayTransport transport(replay->player(), kStart + 1000 * kMs);
  for (const double speed : {2., 0., 1e6}) {
    transport.play(speed, kStart + 800 * kMs);
    const auto& player = replay->player();
    for (transport.service(); player.position().moving || !transport.done();) transport.service();
    CHECK(player.position().time_ns == kStart + 1000 * kMs);
  }
  CHECK(asked(transport, "seek", 99) == "stands at 1.000 s");
}

TEST_CASE("transport: a value that means nothing is refused") {
  const Recorded run;
  auto replay = opened(run.path);
  replay::ReplayTransport transport(replay->player(), replay->player().source().end_ns());
  for (const auto& [action, value] : {std::pair<const char*, std::optional<double>>("seek", {}),
                                      {"seek", -1},
                                      {"seek", 1e10},
                                      {"step", 0},
                                      {"step", 1.5},
                                      {"step", -3},
                                      {"play", -1},
                                      {"play", 1e7},
                                      {"pause", 1}}) {
    CAPTURE(action);
    const auto done = transport.control({1, Word<snapshot::Action>(action), value});
    REQUIRE(!done);
    CHECK(done.error().code == Exit::kData);
  }
  CHECK(replay->player().position().events == 0);
}
