// SPDX-License-Identifier: Apache-2.0
#include "ui/program/frame_timing.h"

#include <doctest/doctest.h>

using namespace compmond::ui;

namespace {

// Frames in so many seconds in which nothing comes, by whoever looks each 5 ms.
int frames(double seconds, const FrameTiming::Looks& looks) {
  FrameTiming timing;
  for (int i = 0; i < FrameTiming::kSettling; ++i) timing.drawn(100);
  int drawn = 0;
  for (int i = 1; i <= int(seconds * 200); ++i) {
    const double now_s = 100 + i / 200.0;
    if (!timing.due(now_s, looks)) continue;
    timing.drawn(now_s);
    ++drawn;
  }
  return drawn;
}

}  // namespace

TEST_CASE("frame timing: where nothing changes there is at most one frame a second") {
  CHECK(frames(60, {.animates = false, .frozen = false}) <= 60);
  CHECK(frames(60, {.animates = false, .frozen = true}) <= 60);
  CHECK(frames(60, {.animates = false, .frozen = true}) >= 59);  // it tells since when
  CHECK(frames(10, {.animates = true, .frozen = false}) >= 240);
}

TEST_CASE("frame timing: who waits for a frame is never woken more often than one is due") {
  FrameTiming timing;
  for (int i = 0; i < FrameTiming::kSettling; ++i) timing.drawn(100);
  for (const bool frozen : {false, true})
    for (double now_s = 100.0; now_s < 104; now_s += 0.07) {
      const FrameTiming::Looks looks{.animates = false, .frozen = frozen};
      const double wait_s = timing.wait_s(now_s, looks, 60);
      CAPTURE(now_s);
      CHECK(timing.due(now_s, looks) == (wait_s <= 1e-9));
    }
}
