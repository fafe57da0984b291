// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "text/clean.h"
#include "text/numbers.h"
#include "ui/frame/time_scale/time_scale.h"
#include "ui/kit/draw.h"
#include "ui/model/run_time.h"
#include "ui/model/switching.h"
#include "ui/views/shared/definitions.h"
#include "ui/views/shared/heat.h"
#include "ui/views/shared/ranked.h"

namespace compmond::ui {
namespace {

constexpr size_t kShades = 24;  // finer than the steps of boxes: a little is told from nothing
constexpr double kLeastShare = 0.05;  // and never invisible

// Colours of a row, from nothing to a column that is full; the last one of what does not glow.
constexpr size_t kCold = kShades + 1;
using Shades = std::array<ImU32, kShades + 2>;

size_t shade_of(uint64_t ns, const StripRows& rows) {
  if (ns == 0) return 0;
  if (ns < rows.floor_ns) return kCold;
  return size_t(std::clamp(double(ns) / double(rows.busy_ns), kLeastShare, 1.0) * double(kShades));
}

// Whether what is missing there is only what probes did not see that went away or came back.
bool is_change_of_busy(const snapshot::Health& health, Window when) {
  constexpr uint64_t kChange = 100'000'000;  // ns: longer than one takes
  return health.busy && health.lost == 0 &&
         std::ranges::any_of(health.busy->spans, [&](const auto& span) {
           return when.end_ns + kChange > span.start_ns && when.start_ns < span.end_ns + kChange;
         });
}

}  // namespace

void TimeScale::draw_rows(const Canvas& canvas, const Geometry& at, const geometry::Axis& axis,
                          Model& model) {
  if (!model.strip || model.strip->columns == 0) return;
  const Theme& theme = canvas.theme;
  const snapshot::StripView& strip = *model.strip;
  const auto lines = size_t(std::max(1.f, (at.bottom - at.top) / canvas.px(2)));
  if (rows_of_ != model.generation || row_lines_ != lines || rows_.rows.empty()) {
    rows_ = strip_rows(strip, model, lines);
    rows_of_ = model.generation;
    row_lines_ = lines;
  }
  if (rows_.rows.empty()) return;
  draw_off(canvas, at, axis, model);
  const float height = (at.bottom - at.top) / float(rows_.rows.size());
  const float gap = height >= canvas.px(5) ? canvas.px(1) : 0;
  const double column_ns = double(strip.end_ns - strip.start_ns) / strip.columns;
  // Made once per hue: there are far more cells than shades.
  std::map<ImU32, Shades> known;
  const auto shades_of = [&](ImU32 hue, const std::string& path) -> const Shades& {
    const auto [shades, fresh] = known.try_emplace(hue);
    // Colours grow with the square of hotness; what fills a column half shall look half full.
    for (size_t i = 0; fresh && i <= kShades; ++i)
      shades->second[i] =
          heat_of(theme, model, path, 100 * std::sqrt((double(i) + 0.5) / kShades), int(kShades));
    shades->second[kCold] = theme.bar;
    return shades->second;
  };
  const float end = std::clamp(float(axis.px(model.now_ns())), at.left, at.right);
  canvas.list->PushClipRect({at.left, at.top}, {end, at.bottom}, true);
  for (size_t row = 0; row < rows_.rows.size(); ++row) {
    const auto& cells = rows_.rows[row].real_ns;
    const std::string& path = strip.components[rows_.rows[row].members.front()];
    const float y = at.top + height * float(row);
    const Shades& colours = shades_of(full_hue_of(theme, model, path), path);
    for (size_t from = 0; from < cells.size();) {
      const size_t shade = shade_of(cells[from], rows_);
      size_t to = from + 1;
      while (to < cells.size() && shade_of(cells[to], rows_) == shade) ++to;
      if (shade > 0) {
        const auto x = [&](size_t column) {
          return float(axis.px(strip.start_ns + uint64_t(column_ns * double(column))));
        };
        canvas.list->AddRectFilled({x(from), y}, {x(to), y + height - gap}, colours[shade]);
      }
      from = to;
    }
  }
  canvas.list->PopClipRect();
  draw_labels(canvas, at, model);
}

void TimeScale::draw_labels(const Canvas& canvas, const Geometry& at, Model& model) const {
  const Theme& theme = canvas.theme;
  const snapshot::StripView& strip = *model.strip;
  const float height = (at.bottom - at.top) / float(rows_.rows.size());
  const bool labels = height >= canvas.px(10) && rows_.rows.size() > 0;
  for (size_t row = 0; row < rows_.rows.size(); ++row) {
    const auto& members = rows_.rows[row].members;
    const std::string& path = strip.components[members.front()];
    const float y = at.top + height * float(row);
    const ImVec2 min{at.label_left, y}, max{at.left - canvas.px(4), y + height};
    const bool hovered = ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(min, max);
    if (labels) {
      const bool selected = path == model.selection.component;
      draw_text(canvas.list, theme.small, {min.x, y + (height - theme.small->FontSize) / 2},
                selected  ? theme.blue_text
                : hovered ? theme.strong
                          : theme.dim,
                model.name_of(path), max.x - min.x, model.short_names);
    }
    if (hovered) {
      const snapshot::Component* component = model.component(path);
      tooltip(theme, text::clean(path),
              component && members.size() == 1 && is_off(*model.snapshot, *component)
                  ? off_text(model, *component)
              : members.size() > 1 ? fmt::format("and the {} after it", members.size() - 1)
              : component          ? fmt::format("{} {}, {}", ranked_name(*model.snapshot),
                                                 ranked_text(*model.snapshot, component->figures),
                                                 window_text(model, model.figures_interval()))
                                   : std::string(),
              definition(Term::kActivity).text);
      if (ImGui::IsMouseClicked(0)) model.selection = {path, "", {}};
    }
  }
  if (!labels)
    draw_text(canvas.list, theme.small, {at.label_left, at.top}, theme.dim,
              fmt::format("{} components", text::count(shown_components(model))),
              at.left - at.label_left - canvas.px(6));
}

void TimeScale::draw_losses(const Canvas& canvas, const Geometry& at, const geometry::Axis& axis,
                            const Model& model) const {
  if (!model.strip) return;
  const auto& strip = *model.strip;
  const double column_ns = double(strip.end_ns - strip.start_ns) / std::max(1u, strip.columns);
  canvas.list->PushClipRect({at.left, at.top - canvas.px(6)}, {at.right, at.bottom}, true);
  for (size_t c = 0; c < strip.lost.size(); ++c) {
    const Window column{strip.start_ns + uint64_t(column_ns * double(c)),
                        strip.start_ns + uint64_t(column_ns * double(c + 1))};
    if (strip.lost[c] == 0 || (model.snapshot && is_change_of_busy(model.snapshot->health, column)))
      continue;
    const auto from = float(axis.px(column.start_ns));
    const float to = std::max(from + canvas.px(3), float(axis.px(column.end_ns)));
    canvas.list->AddRectFilled({from, at.top}, {to, at.bottom},
                               with_alpha(canvas.theme.amber, 0.16f));
    draw_hatch(canvas.list, {from, at.top}, {to, at.bottom}, with_alpha(canvas.theme.amber, 0.8f),
               canvas.px(4));
    const float middle = (from + to) / 2, r = canvas.px(4);
    canvas.list->AddTriangleFilled({middle - r, at.top - r * 1.4f}, {middle + r, at.top - r * 1.4f},
                                   {middle, at.top}, canvas.theme.amber);
  }
  canvas.list->PopClipRect();
}

}  // namespace compmond::ui
