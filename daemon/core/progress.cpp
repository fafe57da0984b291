// SPDX-License-Identifier: Apache-2.0
#include "core/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.h"
#include "core/message.h"

namespace compmond {
namespace {

constexpr uint64_t kFirstAfterNs = 1'000'000'000;

}  // namespace

Progress::Progress(std::string doing)
    : doing_(std::move(doing)),
      terminal_(::isatty(STDERR_FILENO) == 1),
      next_ns_(monotonic_ns() + kFirstAfterNs) {}

Progress::~Progress() {
  if (shown_ && terminal_) redraw("");
}

void Progress::update(double share) {
  const uint64_t now = monotonic_ns();
  if (now < next_ns_) return;
  next_ns_ = now + (terminal_ ? kFirstAfterNs / 5 : 10 * kFirstAfterNs);
  const std::string text = fmt::format("{}: {:.0f} %", doing_, 100 * std::clamp(share, 0.0, 1.0));
  shown_ = true;
  if (terminal_)
    redraw(text);
  else
    say(text);
}

}  // namespace compmond
