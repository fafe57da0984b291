// SPDX-License-Identifier: Apache-2.0
#include "ui/pace.h"

#include <algorithm>

namespace compmond::ui {
namespace {

constexpr double kLive = 0.04;     // 25 frames a second
constexpr double kChanged = 0.02;  // a dragged window follows the hand
constexpr double kNews = 1;        // paused or ended: whether it goes on
constexpr double kShare = 2;       // at most every second moment goes into answering

bool same_but_moving(const snapshot::ViewRequest& one, snapshot::ViewRequest other) {
  // The strip's range moves on by itself, which is no wish of anybody.
  other.id = one.id;
  other.strip = one.strip;
  return one == other;
}

}  // namespace

double Pace::interval(const Model& model) const {
  const double wanted = model.window.live && model.run.live ? kLive : kNews;
  return std::max(wanted, kShare * took_s_);
}

bool Pace::due(const Model& model, const snapshot::ViewRequest& request, double now_s) const {
  if (!asked_) return true;
  const double since = now_s - asked_s_;
  if (since >= interval(model)) return true;
  const bool strip_zoomed = asked_->strip.has_value() != request.strip.has_value() ||
                            (asked_->strip && asked_->strip->end_ns - asked_->strip->start_ns !=
                                                  request.strip->end_ns - request.strip->start_ns);
  return since >= std::max(kChanged, took_s_) &&
         (strip_zoomed || !same_but_moving(*asked_, request));
}

double Pace::wait_s(const Model& model, double now_s) const {
  return asked_ ? std::max(0.0, asked_s_ + interval(model) - now_s) : 0;
}

void Pace::asked(const snapshot::ViewRequest& request, double now_s) {
  asked_ = request;
  asked_s_ = now_s;
}

void Pace::answered(double now_s) { took_s_ = 0.7 * took_s_ + 0.3 * (now_s - asked_s_); }

}  // namespace compmond::ui
