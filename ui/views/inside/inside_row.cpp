// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "snapshot/estimate_text.h"
#include "text/clean.h"
#include "text/match.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/views/inside/inside.h"
#include "ui/views/inside/whose.h"
#include "ui/views/shared/estimated.h"
#include "ui/views/shared/operation_name.h"

namespace compmond::ui {
namespace {

using snapshot::Estimated;

constexpr float kSwatch = 9;  // design pixels

std::string share_text(const Estimated& of, const Estimated& whole, snapshot::TimeOf time) {
  if (!is_value(of, time) || !is_value(whole, time)) return "–";
  return text::percent(100 * (of.*time)->value_ns / (whole.*time)->value_ns);
}

}  // namespace

std::string InsideView::figures_text(const InsideRow& row) const {
  const Estimated whole = snapshot::estimated_of(inside()->total);
  const auto both = &Estimated::net_real_ns;
  const auto& spread = *row.total.net_real_ns;
  const bool exact = spread.high_ns > spread.value_ns;
  std::string out;
  const auto line = [&](const char* what, const Estimated& of, snapshot::TimeOf time, bool interval,
                        const std::string& more = {}) {
    out += fmt::format("{}  {}{}\n", what,
                       interval ? interval_text(of, time) : value_text(of, time), more);
  };
  if (row.own.samples == 0) {
    out += "own  none: it was never innermost\n";
  } else {
    line("own", row.own, both, true,
         is_value(row.own, both) ? ", " + share_text(row.own, whole, both) + " of it" : "");
    if (waits()) {
      line("    on CPU", row.own, &Estimated::cpu_ns, true);
      line("    waiting", row.own, &Estimated::waiting_ns, true);
    }
  }
  line("total", row.total, both, exact,
       is_value(row.total, both) ? ", " + share_text(row.total, whole, both) + " of it" : "");
  if (waits()) {
    line("    on CPU", row.total, &Estimated::cpu_ns, exact);
    line("    waiting", row.total, &Estimated::waiting_ns, exact);
  }
  if (row.functions > 1) out += text::counted(row.functions, "function") + "\n";
  return out + fmt::format("from {}, {} of them its own",
                           text::counted(row.total.samples, "sample"),
                           text::count(row.own.samples));
}

void InsideView::draw_cell(const Canvas& canvas, const Place& place, const Model& model,
                           const InsideRow& row, float y) const {
  const Theme& theme = canvas.theme;
  const auto middle = [&](ImFont* font) { return y + (canvas.px(kRow) - font->FontSize) / 2; };
  const auto right = [&](ImFont* font, float at, ImU32 ink, const std::string& text) {
    draw_text_right(canvas.list, font, {at, middle(font)}, ink, text);
  };
  const auto estimate = [&](const Estimated& of, snapshot::TimeOf which, bool strong, bool spread) {
    const bool none = of.samples == 0;
    right(theme.mono, place.right - place.spread,
          none                            ? theme.faint
          : strong && is_value(of, which) ? theme.text
                                          : theme.dim,
          none ? "–" : value_text(of, which));
    if (spread && !none) right(theme.mono_small, place.right, theme.dim, spread_text(of, which));
  };
  const snapshot::TimeOf time = time_of(this->time(model));
  switch (place.column) {
    case InsideColumn::kOwn:
      return estimate(row.own, time, true, true);
    case InsideColumn::kTotal:
      return estimate(row.total, time, false, row.functions == 1);
    case InsideColumn::kCpu:
      return estimate(row.own, &Estimated::cpu_ns, false, false);
    case InsideColumn::kWaiting:
      return estimate(row.own, &Estimated::waiting_ns, false, false);
    case InsideColumn::kShare:
      return right(theme.mono, place.right, theme.dim,
                   share_text(row.own, snapshot::estimated_of(inside()->total), time));
    case InsideColumn::kSamples:
      return right(theme.mono, place.right, theme.dim, text::count(row.total.samples));
    case InsideColumn::kFile:
      draw_text(canvas.list, theme.small, {place.left + canvas.px(12), middle(theme.small)},
                theme.dim, text::clean(text::leaf(row.image)),
                place.right - place.left - canvas.px(12));
      return;
    case InsideColumn::kName:
      return;
  }
}

void InsideView::draw_row(const Canvas& canvas, const Plan& plan, const Model& model,
                          const InsideRow& row, float y) {
  const Theme& theme = canvas.theme;
  const ImVec2 min{canvas.min.x, y}, max{canvas.max.x, y + canvas.px(kRow)};
  ImGui::SetCursorScreenPos(min);
  if (ImGui::InvisibleButton("row", {max.x - min.x, max.y - min.y})) selected_ = row.key;
  const bool hovered = ImGui::IsItemHovered();
  if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    selected_ = row.key;
    zoom_into_selected(model);
  }
  if (selected_ == row.key) {
    canvas.list->AddRectFilled(min, max, with_alpha(theme.blue_fill, 0.22f));
    canvas.list->AddRectFilled(min, {min.x + canvas.px(3), max.y}, theme.blue);
  } else if (hovered) {
    canvas.list->AddRectFilled(min, max, with_alpha(theme.blue, 0.07f));
  }
  const float middle = y + canvas.px(kRow) / 2, side = canvas.px(kSwatch);
  draw_whose(canvas, {plan.name_left, middle - side / 2},
             {plan.name_left + side, middle + side / 2}, row.whose, 0, canvas.px(2));
  const float x = plan.name_left + side + canvas.px(7), room = plan.name_right - x;
  const bool fits = text_size(theme.mono_small, row.name).x <= room;
  draw_text(canvas.list, theme.mono_small, {x, middle - theme.mono_small->FontSize / 2}, theme.text,
            fits || by(model) != InsideBy::kFunction ? row.name : short_operation(row.name), room);
  for (const Place& place : plan.places) draw_cell(canvas, place, model, row, y);
  if (hovered)
    tooltip(theme, row.name,
            (row.image.empty()
                 ? std::string(whose_text(row.whose.known().value_or(snapshot::Whose::kUnknown)))
                 : text::clean(row.image)) +
                "\n" + figures_text(row),
            "Click marks it in the drawing; Enter or a double click shows its widest box there.");
}

}  // namespace compmond::ui
