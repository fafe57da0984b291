// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "text/clean.h"
#include "text/numbers.h"
#include "ui/frame/details_parts.h"
#include "ui/kit/draw.h"
#include "ui/model/run_time.h"
#include "ui/model/trace_links.h"
#include "ui/views/shared/slo.h"

namespace compmond::ui {
namespace {

constexpr size_t kShown = 8;

void draw_violation(Panel& panel, Model& model, const snapshot::Violation& violation, int id) {
  const Theme& theme = panel.theme;
  const float row = panel.px(19), column = panel.px(72);
  const ImVec2 min{panel.left - panel.px(4), panel.y},
      max{panel.right + panel.px(4), panel.y + row};
  ImGui::SetCursorScreenPos(min);
  ImGui::PushID(id);
  if (ImGui::InvisibleButton("violation", {max.x - min.x, row})) {
    show_violation(model, violation);
    model.wishes.view = ViewId::kTiming;
  }
  ImGui::PopID();
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) panel.list->AddRectFilled(min, max, with_alpha(theme.blue, 0.12f), panel.px(4));
  const bool open = violation.closed == snapshot::Ending::kOpen;
  const bool unseen = violation.closed == snapshot::Ending::kAbandoned ||
                      violation.closed == snapshot::Ending::kLossy;
  const float y = panel.y + (row - theme.mono_small->FontSize) / 2;
  std::string when = moment_text(model, violation.start_ns, 1e6);
  if (open || unseen) when += "  " + violation.closed.text();
  draw_missed_mark(panel.list, theme, {panel.left + panel.px(4), panel.y + row * 0.7f},
                   panel.px(7));
  draw_text(panel.list, theme.mono_small, {panel.left + panel.px(13), y}, theme.dim, when,
            panel.width() - 2 * column - panel.px(13));
  draw_text_right(panel.list, theme.mono_small, {panel.right - column, y}, theme.red,
                  "+" + text::duration(double(violation.raw_ns) - double(violation.objective_ns)));
  draw_text_right(panel.list, theme.mono_small, {panel.right, y},
                  open     ? theme.green
                  : unseen ? theme.amber
                           : theme.text,
                  text::duration(double(violation.raw_ns)));
  if (hovered)
    tooltip(theme, text::clean(violation.operation),
            fmt::format("objective {} · thread {} · trace {} · eoi {}{}",
                        text::duration(double(violation.objective_ns)), violation.tid,
                        violation.trace_id, violation.eoi,
                        unseen ? "\nits end was not seen: the raw time is the most it can be" : ""),
            "Click shows it on the time line.");
  panel.y += row;
}

}  // namespace

void draw_objective(Panel& panel, const snapshot::Component& component) {
  const auto& slo = component.figures.slo;
  if (!slo) return;
  const uint64_t missed = violations(component.figures);
  const ImU32 ink = missed > 0 ? panel.theme.red : panel.theme.strong;
  panel.figure("objective", objective_text(component), Term::kObjective);
  panel.figure("missed",
               slo->violating_now > 0 ? fmt::format("{}, {} running", text::count(missed),
                                                    text::count(slo->violating_now))
                                      : text::count(missed),
               Term::kViolations, ink);
  if (slo->unseen_ends > 0)
    panel.warning(
        fmt::format("The ends of {} that missed it were not seen.", text::count(slo->unseen_ends)));
}

void draw_violations(Panel& panel, Model& model, const snapshot::Component& component) {
  const uint64_t count = violations(component.figures);
  if (!model.snapshot->slo || count == 0) return;
  std::vector<const snapshot::Violation*> own;
  for (const snapshot::Violation& violation : model.snapshot->slo->newest)
    if (violation.component == component.name && own.size() < kShown) own.push_back(&violation);
  panel.heading("objective missed", "above         raw");
  for (size_t i = 0; i < own.size(); ++i) draw_violation(panel, model, *own[i], int(i));
  if (count > own.size())
    panel.note(fmt::format("and {} more in this window", text::count(count - own.size())));
}

}  // namespace compmond::ui
