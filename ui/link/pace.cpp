// SPDX-License-Identifier: Apache-2.0
#include "ui/link/pace.h"

#include <algorithm>

namespace compmond::ui {
namespace {

constexpr double kLive = 0.038;              // 25 frames a second, and what the loop takes
constexpr double kChanged = 0.02;            // a dragged window follows the hand
constexpr double kQuiet = 0.5;               // nothing was called lately, and nothing runs
constexpr double kStepsOfWindow = 600;       // while it follows: some pixels of its figures
constexpr double kNews = 1;                  // paused or ended: whether it goes on
constexpr double kAnalysis = 1;              // traces move on; nobody reads faster
constexpr double kCellsPerSecond = 200'000;  // of strips: a few megabytes
constexpr double kShare = 2;                 // at most every second moment goes into answering

bool same_but_moving(const snapshot::ViewRequest& one, snapshot::ViewRequest other) {
  // The strip's range moves on by itself, which is no wish of anybody; analyses see question().
  other.id = one.id;
  other.strip = one.strip;
  other.analysis = one.analysis;
  return one == other;
}

// Another zoom, or another place while it does not follow.
bool other_strip(const std::optional<snapshot::ViewRequest::Strip>& one,
                 const std::optional<snapshot::ViewRequest::Strip>& other) {
  if (!other) return false;
  return !one || one->columns != other->columns ||
         one->end_ns - one->start_ns != other->end_ns - other->start_ns ||
         (one->start_ns > other->start_ns);
}

bool quiet(const Model& model) {
  if (!model.snapshot || model.run.events_per_s > 0) return false;
  return std::ranges::all_of(model.snapshot->components,
                             [](const snapshot::Component& c) { return c.figures.open == 0; });
}

}  // namespace

std::optional<Pace::Question> Pace::question(const snapshot::ViewRequest& request) {
  if (!request.analysis) return std::nullopt;
  return Question{*request.analysis, request.window, request.filter};
}

bool Pace::other_question(const snapshot::ViewRequest& request) const {
  const auto now = question(request);
  return now && now != question_;
}

double Pace::interval(const Model& model) const {
  const bool moving = model.run.live && !model.run.paused;
  // A long window moves on by less than a pixel between frames, and takes longer to add up.
  const double follows =
      std::clamp(double(model.interval().length()) / 1e9 / kStepsOfWindow, kLive, kQuiet);
  const double wanted = !(model.window.live && moving) ? kNews : quiet(model) ? kQuiet : follows;
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
         (strip_zoomed || other_question(request) || !same_but_moving(*asked_, request));
}

double Pace::wait_s(const Model& model, double now_s) const {
  return asked_ ? std::max(0.0, asked_s_ + interval(model) - now_s) : 0;
}

snapshot::ViewRequest Pace::trimmed(snapshot::ViewRequest request, size_t components,
                                    double now_s) const {
  if (!other_question(request) && now_s - question_s_ < kAnalysis) request.analysis.reset();
  if (!request.strip || other_strip(strip_, request.strip)) return request;
  const double cells = double(request.strip->columns) * double(components);
  if (now_s - strip_s_ < cells / kCellsPerSecond) request.strip.reset();
  return request;
}

void Pace::asked(const snapshot::ViewRequest& request, double now_s) {
  asked_ = request;
  asked_s_ = now_s;
  if (request.analysis) {
    question_ = question(request);
    question_s_ = now_s;
  }
  if (!request.strip) return;
  strip_ = request.strip;
  strip_s_ = now_s;
}

void Pace::answered(double now_s) { took_s_ = 0.7 * took_s_ + 0.3 * (now_s - asked_s_); }

}  // namespace compmond::ui
