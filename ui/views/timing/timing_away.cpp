// SPDX-License-Identifier: Apache-2.0
// What is known of time in which probes were away.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "text/clean.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/model/run_time.h"
#include "ui/model/switching.h"
#include "ui/views/timing/timing_frame.h"

namespace compmond::ui {
namespace {

constexpr float kGround = 0.6f;                // of its ink
constexpr float kWidest = 20;                  // design pixels
constexpr float kHalfWide = 0.46f;             // of a column's width, where it is shaded
constexpr float kPalest = 0.3f, kPale = 0.7f;  // of a hue, as no execution is

std::optional<size_t> column_of(const TimingFrame& frame, const std::string& component) {
  const auto found = std::ranges::find(frame.columns, component);
  if (found == frame.columns.end()) return {};
  return size_t(found - frame.columns.begin());
}

float widest_of(const TimingFrame& frame) {
  return std::min(frame.canvas.px(kWidest), 0.8f * frame.column_width);
}

// The column of what is pointed at, where that is less than `half` from its middle.
bool points_at(const TimingFrame& frame, const std::string& component, float half) {
  const auto column = column_of(frame, component);
  const float x = ImGui::GetIO().MousePos.x;
  return column && std::abs(x - frame.column_centre(*column)) <= half;
}

std::string sampled_text(const TimingFrame& frame, const std::vector<uint64_t>& real_ns,
                         double at_ns) {
  const double cell_ns =
      double(frame.view.end_ns - frame.view.start_ns) / double(std::max<size_t>(1, real_ns.size()));
  const double cell = (at_ns - double(frame.view.start_ns)) / cell_ns;
  if (cell < 0 || cell >= double(real_ns.size()) || real_ns[size_t(cell)] == 0) return {};
  return fmt::format("from samples: {} of these {} real, own time",
                     text::duration(double(real_ns[size_t(cell)])), text::duration(cell_ns));
}

}  // namespace

// Quiet, for it is no fault: what was executed then is only not known.
void draw_timing_away(const TimingFrame& frame) {
  const Theme& theme = frame.canvas.theme;
  if (const auto y = frame.unasked_from())
    draw_hatch(frame.canvas.list, {frame.left, *y}, {frame.right, frame.bottom},
               with_alpha(theme.amber, kGround), frame.canvas.px(8));
  for (const auto& away : frame.view.away) {
    const auto column = column_of(frame, away.component);
    if (!column) continue;
    const float half = kHalfWide * frame.column_width, centre = frame.column_centre(*column);
    const float y0 = std::max(frame.top, float(frame.axis.px(away.start_ns))),
                y1 = std::min(frame.bottom, float(frame.axis.px(away.end_ns)));
    if (y1 <= y0 || centre + half < frame.left || centre - half > frame.right) continue;
    const ImVec2 min{centre - half, y0}, max{centre + half, y1};
    frame.canvas.list->AddRectFilled(min, max, with_alpha(theme.raised, kGround));
  }
}

// As folds are: as wide as busy, linear from nothing; below a pixel it pales.
void draw_timing_samples(const TimingFrame& frame, const std::vector<ImU32>& hues) {
  const Window shown{frame.view.start_ns, frame.view.end_ns};
  const float least = frame.canvas.px(1), widest = widest_of(frame);
  for (const auto& sampled : frame.view.sampled) {
    const auto column = column_of(frame, sampled.component);
    const size_t cells = sampled.real_ns.size();
    if (!column || cells == 0) continue;
    const double cell_ns = double(shown.length()) / double(cells);
    const float centre = frame.column_centre(*column);
    const auto y_of = [&](size_t i) {
      return float(frame.axis.px(shown.start_ns + uint64_t(cell_ns * double(i))));
    };
    for (size_t i = 0; i < cells; ++i) {
      if (sampled.real_ns[i] == 0) continue;
      const float y0 = std::max(y_of(i), frame.top), y1 = std::min(y_of(i + 1), frame.bottom);
      if (y1 <= y0) continue;
      const float wide = widest * std::min(1.f, float(double(sampled.real_ns[i]) / cell_ns)),
                  half = std::max(wide, least) / 2;
      const ImU32 ink = mix(frame.canvas.theme.background, hues[*column],
                            kPale * std::clamp(wide / least, kPalest, 1.f));
      frame.canvas.list->AddRectFilled({centre - half, y0}, {centre + half, y1}, ink);
    }
  }
}

void timing_away_tooltip(const TimingFrame& frame) {
  const double at_ns = frame.axis.ns(ImGui::GetIO().MousePos.y);
  std::string title, text, meaning;
  for (const auto& sampled : frame.view.sampled) {
    if (!points_at(frame, sampled.component, widest_of(frame) / 2)) continue;
    text = sampled_text(frame, sampled.real_ns, at_ns);
    if (text.empty()) continue;
    title = sampled.component;
    meaning = "As wide as busy, by samples: they know no single calls.";
  }
  for (const auto& away : frame.view.away) {
    if (at_ns < double(away.start_ns) || at_ns >= double(away.end_ns) ||
        !points_at(frame, away.component, kHalfWide * frame.column_width))
      continue;
    title = away.component;
    text +=
        (text.empty() ? "" : "\n") +
        fmt::format("probes away {}", span_text(frame.model, {away.start_ns, away.end_ns}, 100));
    const std::string_view why =
        why_away(frame.model.snapshot->health, {away.start_ns, away.end_ns});
    meaning = meaning.empty()
                  ? fmt::format("They were {}: what was executed meanwhile is not known.", why)
                  : fmt::format("{}\nProbes were {}: of calls no more is known.", meaning, why);
  }
  if (!title.empty()) tooltip(frame.canvas.theme, text::clean(title), text, meaning);
}

}  // namespace compmond::ui
