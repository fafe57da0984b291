// SPDX-License-Identifier: Apache-2.0
#include "ui/model/run_time.h"

#include <doctest/doctest.h>

namespace compmond::ui {
namespace {

constexpr uint64_t kStart = 7'000'000'000, kMs = 1'000'000;

Model begun() {
  Model model;
  model.run.start_ns = kStart;
  return model;
}

TEST_CASE("run time: moments count from the start of the run, and none is before it") {
  const Model model = begun();
  CHECK(since_start(model, kStart + 250 * kMs) == 250e6);
  CHECK(since_start(model, kStart) == 0);
  CHECK(since_start(model, kStart - kMs) == 0);
  CHECK(moment_text(model, kStart + 2'050 * kMs, 5e7) == "2.05 s");
}

TEST_CASE("run time: a span has the decimals that tell its ends apart") {
  const Model model = begun();
  CHECK(span_text(model, {kStart + 2'000 * kMs, kStart + 12'000 * kMs}) == "2 s – 12 s");
  CHECK(span_text(model, {kStart + 2'000 * kMs, kStart + 12'000 * kMs}, 100) == "2.0 s – 12.0 s");
  CHECK(span_text(model, {kStart + 2'000 * kMs, kStart + 2'100 * kMs}) == "2.00 s – 2.10 s");
}

TEST_CASE("run time: a window that follows is told by its length, another by its ends") {
  Model model = begun();
  const Window window{kStart + 1'000 * kMs, kStart + 6'000 * kMs};
  CHECK(window_text(model, window) == "last 5.00 s");
  model.window.live = false;
  CHECK(window_text(model, window) == "1.0 s – 6.0 s");
}

}  // namespace
}  // namespace compmond::ui
