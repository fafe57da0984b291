// SPDX-License-Identifier: Apache-2.0
#include "ui/program/frame_timing.h"

#include <algorithm>

namespace compmond::ui {
namespace {

constexpr double kFrame = 0.038;          // at least so often while something moves, see Pace
constexpr double kShortestFrame = 0.012;  // and at most: beyond 80 a second nobody sees more
constexpr double kIdleFrame = 3;          // and while only time passes: nothing else would move
constexpr double kFrozenFrame = 1;        // and without a connection, to tell since when
constexpr double kJustTouched = 1;

double idle_frame(const FrameTiming::Looks& looks) {
  return looks.frozen ? kFrozenFrame : kIdleFrame;
}

}  // namespace

void FrameTiming::settle() { settling_ = kSettling; }

void FrameTiming::touched(double now_s) {
  settle();
  touched_s_ = now_s;
}

void FrameTiming::drawn(double now_s) {
  drawn_s_ = now_s;
  fresh_ = false;
  settling_ = std::max(0, settling_ - 1);
}

bool FrameTiming::just_touched(double now_s) const { return now_s - touched_s_ < kJustTouched; }

bool FrameTiming::due(double now_s, const Looks& looks) const {
  const double since = now_s - drawn_s_;
  if (since < kShortestFrame) return false;
  if (fresh_ || settling_ > 0 || since >= idle_frame(looks)) return true;
  return since >= kFrame && looks.animates;
}

double FrameTiming::wait_s(double now_s, const Looks& looks, double wait_s) const {
  const double since = now_s - drawn_s_;
  if (fresh_ || settling_ > 0) return std::max(0.0, kShortestFrame - since);
  if (looks.animates) wait_s = std::min(wait_s, kFrame - since);
  return std::min(wait_s, idle_frame(looks) - since);
}

}  // namespace compmond::ui
