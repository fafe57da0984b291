// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "base/numbers.h"
#include "drawing/svg.h"

namespace compmond::drawing {
namespace {

using traces::Message;

constexpr size_t kMostMessages = 5000;  // 130,000 pixels high: beyond that no viewer follows
constexpr double kMargin = 24, kHead = 34, kRow = 26, kBox = 9, kNest = 5;
constexpr double kLeastLane = 150, kMostLane = 320;
constexpr double kOutsideLane = 130, kTimes = 96;
constexpr const char* kInk = "#2d3748";
constexpr const char* kPale = "#a0aec0";
constexpr const char* kBar = "#bee3f8";
constexpr const char* kFailed = "#feb2b2";

class Drawing {
 public:
  Drawing(Out& out, const traces::Sequence& sequence)
      : sequence_(sequence),
        lane_(lane_width()),
        top_(kMargin + 40),
        svg_(out, left(sequence.lifelines.size()) + kMargin,
             top_ + kHead + kRow * double(sequence.steps.size() + 1) + kMargin, title()) {}

  void draw() {
    svg_.text(kMargin, kMargin + 8, title(), 16);
    heads();
    activations();
    for (size_t i = 0; i < sequence_.steps.size(); ++i) message(i);
    svg_.end();
  }

 private:
  std::string title() const {
    return sequence_.cardinality > 1
               ? fmt::format("Trace {}, first of {} with the same control flow", sequence_.trace_id,
                             count_text(sequence_.cardinality))
               : fmt::format("Trace {}", sequence_.trace_id);
  }
  // As wide as the longest text that must stand in it, within reason.
  double lane_width() const {
    double widest = kLeastLane;
    for (const std::string& name : sequence_.lifelines)
      widest = std::max(widest, Svg::width_of(name, 13) + 28);
    for (const auto& step : sequence_.steps)
      if (step.kind == Message::Kind::kCall && step.from >= 0)
        widest = std::max(widest, Svg::width_of(step.operation, 12) + 40);
    return std::min(widest, kMostLane);
  }
  double left(size_t lane) const { return kMargin + kTimes + kOutsideLane + lane_ * double(lane); }
  double centre(int32_t lane) const {
    return lane < 0 ? kMargin + kTimes + 8 : left(size_t(lane)) + lane_ / 2;
  }
  double y(size_t step) const { return top_ + kHead + kRow * double(step + 1); }

  void heads() {
    for (size_t i = 0; i < sequence_.lifelines.size(); ++i) {
      const double x = centre(int32_t(i));
      svg_.line(x, top_ + kHead, x, y(sequence_.steps.size()), kPale, "stroke-dasharray=\"4 4\"");
      svg_.rect(left(i) + 6, top_, lane_ - 12, kHead - 6, "#ebf4ff");
      svg_.text(x, top_ + 18, sequence_.lifelines[i], 13, Svg::Anchor::kMiddle, lane_ - 24);
    }
  }

  // Bars on the lifelines; nested ones of one lifeline stand a little to the right.
  void activations() {
    struct Open {
      size_t step;
      int32_t lane;
      double shift;
    };
    std::vector<Open> open;
    shift_.assign(sequence_.steps.size(), 0);
    for (size_t i = 0; i < sequence_.steps.size(); ++i) {
      const auto& step = sequence_.steps[i];
      if (step.kind == Message::Kind::kCall) {
        double shift = 0;
        for (const Open& other : open) shift += other.lane == step.to ? kNest : 0;
        open.push_back({i, step.to, std::min(shift, lane_ / 3)});
        shift_[i] = open.back().shift;
        continue;
      }
      const Open done = open.back();
      open.pop_back();
      shift_[i] = done.shift;
      svg_.rect(centre(done.lane) - kBox / 2 + done.shift, y(done.step), kBox, y(i) - y(done.step),
                step.failed ? kFailed : kBar,
                fmt::format("{}: {}{}", step.operation, duration_text(step.raw.mean_ns()),
                            step.failed ? ", failed" : ""));
    }
  }

  void arrow_head(double x, double y, bool to_right) {
    const double back = to_right ? -8 : 8;
    svg_.polygon(fmt::format("{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}", x, y, x + back, y - 4,
                             x + back, y + 4),
                 kInk);
  }

  void message(size_t i) {
    const auto& step = sequence_.steps[i];
    const bool call = step.kind == Message::Kind::kCall;
    const int32_t callee = call ? step.to : step.from, caller = call ? step.from : step.to;
    const double at = y(i);
    const char* dash = call ? "" : "stroke-dasharray=\"5 4\"";
    svg_.text(kMargin, at + 4,
              "+" + duration_text(step.at_ns - std::min(step.at_ns, sequence_.start_ns)), 10,
              Svg::Anchor::kStart, 0, kPale);
    if (caller == callee) return self_message(i, at);
    const bool right = centre(callee) > centre(caller);
    const double near_callee = centre(callee) + shift_[i] + (right ? -kBox / 2 : kBox / 2);
    const double near_caller = caller < 0 ? centre(caller) : centre(caller) + (right ? 5 : -5);
    svg_.line(near_caller, at, near_callee, at, kInk, dash);
    arrow_head(call ? near_callee : near_caller, at, call == right);
    if (!call) return;
    const double from = std::min(near_caller, near_callee);
    svg_.text(from + 8, at - 5, step.operation, 12, Svg::Anchor::kStart,
              std::max(std::abs(near_caller - near_callee) - 16, 40.0));
  }

  void self_message(size_t i, double at) {
    const auto& step = sequence_.steps[i];
    const double edge = centre(step.to) + shift_[i] + kBox / 2;
    if (step.kind != Message::Kind::kCall) return;  // the end of its bar says it
    svg_.line(edge - kNest, at - 8, edge + 16, at - 8, kInk);
    svg_.line(edge + 16, at - 8, edge + 16, at + 2, kInk);
    svg_.line(edge + 16, at + 2, edge + 2, at + 2, kInk);
    arrow_head(edge, at + 2, false);
    svg_.text(edge + 21, at, step.operation, 12, Svg::Anchor::kStart, lane_ - shift_[i] - 30);
  }

  const traces::Sequence& sequence_;
  double lane_;
  double top_;
  Svg svg_;
  std::vector<double> shift_;  // of each message's called execution on its lifeline
};

}  // namespace

Result<void> write_svg(Out& out, const traces::Sequence& sequence) {
  if (sequence.steps.size() > kMostMessages)
    return fail(Exit::kData, "cannot draw the sequence",
                fmt::format("trace {} has {} messages, more than anybody can look at (at most {})",
                            sequence.trace_id, sequence.steps.size(), kMostMessages),
                "Choose another one with --trace or --class, or use --format text or plantuml.");
  Drawing(out, sequence).draw();
  return {};
}

}  // namespace compmond::drawing
