// SPDX-License-Identifier: Apache-2.0
#include "diagrams/sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "drawing/drawings.h"
#include "drawing/drawn_trace.h"
#include "drawing/svg.h"
#include "text/numbers.h"

namespace compmond::drawing {
namespace {

using diagrams::SequenceMessage;
using geometry::Pt;
using geometry::Rect;

constexpr size_t kMostMessages = 5000;  // 100,000 pixels high: beyond that no viewer follows
constexpr double kHeadsHeight = 34, kTimesWidth = 96;
constexpr double kLeastColumn = 150, kMostColumn = 320;
constexpr double kHead = 6;  // of an arrow

// As wide as the longest text that must stand in it, within reason.
double column_of(const diagrams::SequenceLayout& layout, const DrawnTrace& trace) {
  double widest = kLeastColumn;
  for (const std::string& name : layout.lifelines)
    widest = std::max(widest, Svg::width_of(name, 13) + 34);
  for (const SequenceMessage& message : layout.messages) {
    if (message.returns) continue;
    const double text = Svg::width_of(trace.operation(message.step), 12);
    // Calls from outside come over half a column.
    widest = std::max(widest, message.from < 0 ? 2 * (text + 12) : text + 44);
  }
  return std::min(widest, kMostColumn);
}

diagrams::SequenceLayout laid_out(const DrawnTrace& trace) {
  diagrams::SequenceStyle style;
  style.fold = false;  // each execution has its own time to be read
  diagrams::SequenceLayout layout = diagrams::lay_out_sequence(trace, style);
  layout.column = column_of(layout, trace);
  return layout;
}

class Drawing {
 public:
  Drawing(Svg& svg, const diagrams::SequenceLayout& layout, const DrawnTrace& trace,
          const graphs::EquivalenceClass& of)
      : svg_(svg),
        layout_(layout),
        trace_(trace),
        of_(of),
        start_ns_(of.representative.start_ns()) {}

  void draw() {
    for (size_t i = 0; i < layout_.lifelines.size(); ++i) lifeline(i);
    for (const auto& activation : layout_.activations) draw(activation);
    for (const SequenceMessage& message : layout_.messages) draw(message);
  }

 private:
  void lifeline(size_t i) {
    const double x = layout_.line_x(int(i)), half = layout_.column / 2 - 5;
    svg_.line({{x, 0}, {x, layout_.height}}, {.stroke = kFaint, .dashed = true});
    svg_.rect({x - half, -kHeadsHeight, x + half, -6},
              {.fill = kPanel, .stroke = kBarLine, .round = 4});
    svg_.text({x, -15}, layout_.lifelines[i],
              {.size = 13, .anchor = Words::Anchor::kMiddle, .room = 2 * half - 8});
  }

  void draw(const diagrams::SequenceActivation& activation) {
    const auto& step = trace_.steps[activation.step];
    const uint64_t whole = of_.representative.end_ns() - start_ns_;
    const std::string said = fmt::format("{}: {}{}", trace_.operation(activation.step),
                                         text::duration(of_.raw[activation.step].mean_ns()),
                                         step.failed ? ", failed" : "");
    const Rect box = layout_.box(activation);
    svg_.rect(box,
              {.fill = geometry::mixed(kBar, kHue, diagrams::own_share(step.net_real_ns(), whole)),
               .stroke = kBarLine,
               .round = 1},
              said);
    if (step.failed)
      svg_.rect({box.x0, std::max(box.y0, box.y1 - 12), box.x1, box.y1}, {.fill = kFailed}, said);
  }

  void draw(const SequenceMessage& message) {
    const auto& step = trace_.steps[message.step];
    const std::vector<Pt> path = layout_.path(message);
    const geometry::Rgb ink = message.returns ? kDim : kText;
    svg_.line(path, {.stroke = ink, .dashed = message.returns && path.size() == 2});
    const Pt tip = path.back(), before = path[path.size() - 2];
    svg_.head(geometry::arrow_head({tip, {tip.x > before.x ? 1.0 : -1.0, 0}}, kHead, kHead / 2),
              ink);
    const uint64_t at_ns = message.returns ? step.end_ns : step.start_ns;
    svg_.text({-kTimesWidth, message.y + 4},
              "+" + text::duration(at_ns - std::min(at_ns, start_ns_)), {.size = 10, .fill = kDim});
    if (message.returns) return;
    const auto label = layout_.label(message);
    svg_.text({label.x, message.y - 4}, trace_.operation(message.step),
              {.room = std::max(label.width, 40.0), .fill = step.failed ? kFailedText : kInk});
  }

  Svg& svg_;
  const diagrams::SequenceLayout& layout_;
  const DrawnTrace& trace_;
  const graphs::EquivalenceClass& of_;
  uint64_t start_ns_;
};

}  // namespace

Result<void> draw_sequence(Out& out, const graphs::EquivalenceClass& of,
                           const traces::Catalogue& catalogue, graphs::Naming naming) {
  const int64_t id = of.representative.id;
  const size_t messages = 2 * of.representative.executions.size();
  if (messages > kMostMessages)
    return fail(Exit::kData, "cannot draw the sequence",
                fmt::format("trace {} has {} messages, more than anybody can look at (at most {})",
                            id, messages, kMostMessages),
                "Choose another one with --trace or --class, or use --format text or plantuml.");
  const DrawnTrace trace = DrawnTrace::with_lifelines(of.representative, catalogue, naming);
  const diagrams::SequenceLayout layout = laid_out(trace);
  const std::string title = of.cardinality > 1
                                ? fmt::format("Trace {}, first of {} with the same control flow",
                                              id, text::count(of.cardinality))
                                : fmt::format("Trace {}", id);
  const Pt origin{Svg::kMargin + kTimesWidth, Svg::kHeading + kHeadsHeight};
  Svg svg(out, origin.x + layout.width() + Svg::kMargin, origin.y + layout.height + Svg::kMargin,
          title);
  svg.shift(origin);
  Drawing(svg, layout, trace, of).draw();
  svg.end();
  return {};
}

}  // namespace compmond::drawing
