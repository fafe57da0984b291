// SPDX-License-Identifier: Apache-2.0
#include "ui/views/health/health.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text/clean.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/views/health/card_column.h"
#include "ui/views/shared/definitions.h"
#include "ui/views/shared/empty.h"

namespace compmond::ui {
namespace {

std::string operations_text(size_t count) {
  return text::counted(count, "operation is", "operations are");
}

constexpr size_t kListed = 200;  // of refused operations; the rest is counted

void draw_verdict(CardColumn& column, const snapshot::Health& health, const Model& model) {
  const Theme& theme = column.theme;
  std::vector<std::string> doubts;
  if (!health.balanced) doubts.push_back("The accounts do not hold: do not trust the figures.");
  if (health.lost > 0)
    doubts.push_back(
        fmt::format("{} of {} records were lost: figures of the moments concerned are too small.",
                    text::count(health.lost), text::count(health.hits)));
  if (!health.refused.empty())
    doubts.push_back(operations_text(health.refused.size()) +
                     " not observed: their figures are missing, not zero.");
  if (!health.throttled.empty())
    doubts.push_back(operations_text(health.throttled.size()) +
                     " away because they were too dear.");
  size_t uncertain = 0;
  for (const auto& component : model.snapshot->components) uncertain += component.figures.uncertain;
  if (uncertain > 0)
    doubts.push_back(text::counted(uncertain, "uncertain real time") +
                     ": probe cost is more than a third of it.");
  column.card(doubts.empty() ? "All figures can be trusted" : "What to keep in mind", [&] {
    if (doubts.empty())
      column.text(
          theme.green,
          "Every operation of the spec is observed, nothing was lost, and the accounts hold.");
    for (const std::string& doubt : doubts) {
      draw_hatch(column.canvas.list, {column.inner(), column.y + column.px(2)},
                 {column.inner() + column.px(5), column.y + column.px(15)}, theme.amber,
                 column.px(4));
      column.text(theme.amber, doubt, column.px(13));
    }
    for (const std::string& note : health.notes)
      column.text(theme.text, text::clean(note), column.px(13));
  });
}

void draw_records(CardColumn& column, const snapshot::Health& health, const Model& model) {
  column.card("Records", [&] {
    column.figure(Term::kHits, text::count(health.hits));
    column.figure(Term::kLost, text::count(health.lost), health.lost > 0);
    if (health.lost_ring > 0)
      column.figure(Term::kLost, text::count(health.lost_ring), true,
                    "   ring full (--ring enlarges it)");
    if (health.lost_slots > 0)
      column.figure(Term::kLost, text::count(health.lost_slots), true,
                    "   more threads than slots");
    if (health.lost_refused > 0)
      column.figure(Term::kLost, text::count(health.lost_refused), true, "   not to be believed");
    if (health.pending > 0) column.figure(Term::kPending, text::count(health.pending));
    column.figure(Term::kEvents, text::count(uint64_t(model.run.events_per_s + 0.5)));
    column.figure(Term::kBalanced, health.balanced ? "hold" : "do not hold", !health.balanced);
  });
  column.card("Executions", [&] {
    column.figure(Term::kOpen, text::count(health.open));
    column.figure(Term::kAbandoned, text::count(health.abandoned));
    column.figure(Term::kOrphans, text::count(health.orphan_exits));
    column.figure(Term::kClamped, text::count(health.clamped));
    column.figure(Term::kEvicted, text::count(health.evicted), health.evicted > 0);
    column.figure(Term::kStackSwitches, text::count(health.stack_switches));
  });
}

void draw_cost(CardColumn& column, const snapshot::Health& health, const Model& model) {
  const Theme& theme = column.theme;
  column.card("Cost", [&] {
    column.figure(Term::kOverhead, text::percent(health.overhead_pct));
    column.figure(
        Term::kHistory,
        fmt::format("{}, {}", text::duration(double(model.run.now_ns - model.run.start_ns)),
                    text::bytes(health.history_bytes)));
    column.y += column.px(6);
    const float outside = column.inner_right(), inside = outside - column.px(84);
    draw_text(column.canvas.list, theme.small, {column.inner(), column.y}, theme.dim, "a probe on");
    draw_text_right(column.canvas.list, theme.small, {inside, column.y}, theme.dim, "inside");
    draw_text_right(column.canvas.list, theme.small, {outside, column.y}, theme.dim, "outside");
    column.y += theme.small->FontSize + column.px(3);
    for (const auto& cost : health.probe_cost) {
      const float top = column.y;
      draw_text(column.canvas.list, theme.body, {column.inner(), top}, theme.text,
                fmt::format("{}, {}", text::clean(cost.site), text::clean(cost.exit_mode.text())),
                inside - column.px(70) - column.inner());
      draw_text_right(column.canvas.list, theme.mono, {inside, top}, theme.strong,
                      text::duration(cost.inside_ns));
      draw_text_right(column.canvas.list, theme.mono, {outside, top}, theme.strong,
                      text::duration(cost.outside_ns));
      column.y += column.px(20);
      if (ImGui::IsWindowHovered() &&
          ImGui::IsMouseHoveringRect({column.left, top}, {column.right, column.y}))
        tooltip(theme, definition(Term::kProbeCost).title, definition(Term::kProbeCost).text);
    }
  });
  column.card("Target", [&] {
    for (const auto& target : model.snapshot->targets) {
      const float top = column.y;
      const std::string pid = fmt::format("pid {}{}", target.pid, target.alive ? "" : ", ended");
      const float width = text_size(theme.mono, pid).x;
      draw_text(column.canvas.list, theme.body, {column.inner(), top}, theme.text,
                text::clean(target.exe),
                column.inner_right() - column.inner() - width - column.px(10));
      draw_text_right(column.canvas.list, theme.mono, {column.inner_right(), top},
                      target.alive ? theme.strong : theme.amber, pid);
      column.y += column.px(20);
    }
    const auto& host = model.snapshot->host;
    column.text(theme.dim, fmt::format("{} · {} · {} CPUs · attached by {}", text::clean(host.name),
                                       text::clean(host.kernel), host.cpus,
                                       health.attach.empty() ? "–" : health.attach));
  });
}

void draw_operations_lists(CardColumn& column, const snapshot::Health& health) {
  const Theme& theme = column.theme;
  column.card("Operations", [&] {
    column.figure(
        Term::kAttached,
        fmt::format("{} of {}", text::count(health.attached), text::count(health.operations())),
        health.attached == 0);
    column.figure(Term::kRefused, text::count(health.refused.size()), !health.refused.empty());
    column.figure(Term::kThrottled, text::count(health.throttled.size()),
                  !health.throttled.empty());
  });
  if (!health.refused.empty())
    column.card("Refused, and why", [&] {
      for (size_t i = 0; i < std::min(health.refused.size(), kListed); ++i) {
        const auto& refused = health.refused[i];
        const std::string symbol = text::clean(refused.symbol);
        if (draw_text(column.canvas.list, theme.mono, {column.inner(), column.y}, theme.amber,
                      symbol, column.inner_right() - column.inner()) &&
            ImGui::IsMouseHoveringRect({column.left, column.y},
                                       {column.right, column.y + theme.mono->FontSize}))
          tooltip(theme, "", symbol);
        column.y += theme.mono->FontSize + column.px(1);
        column.text(theme.text, text::clean(refused.reason));
        column.y += column.px(3);
      }
      if (health.refused.size() > kListed)
        column.text(theme.dim, fmt::format("and {} more; the snapshot (S) has them all",
                                           text::count(health.refused.size() - kListed)));
    });
  if (!health.throttled.empty())
    column.card("Throttled", [&] {
      for (const std::string& name : health.throttled) {
        draw_text(column.canvas.list, theme.mono, {column.inner(), column.y}, theme.amber,
                  text::clean(name), column.inner_right() - column.inner());
        column.y += theme.mono->FontSize + column.px(3);
      }
      column.text(theme.dim,
                  "Their probes come back when it is quieter. --max-overhead sets the budget.");
    });
}

}  // namespace

void HealthView::draw(const Canvas& canvas, Model& model) {
  const Theme& theme = canvas.theme;
  if (!model.snapshot) {
    draw_empty_state(canvas, model);
    return;
  }
  ImGui::SetCursorScreenPos(canvas.min);
  ImGui::BeginChild("cards", {canvas.width(), canvas.height()});
  const float top = ImGui::GetCursorScreenPos().y;
  const Canvas body{ImGui::GetWindowDrawList(), canvas.min, canvas.max, theme};
  const float margin = canvas.px(20), gap = canvas.px(16);
  const float wide = std::min(canvas.width() - 2 * margin, canvas.px(1180));
  const float left = std::round((canvas.min.x + canvas.max.x - wide) / 2);
  const int columns = wide >= canvas.px(1000) ? 3 : wide >= canvas.px(640) ? 2 : 1;
  const float each = (wide - gap * float(columns - 1)) / float(columns);
  std::vector<CardColumn> all;
  for (int i = 0; i < columns; ++i) {
    const float x = left + float(i) * (each + gap);
    all.push_back({body, theme, x, x + each, top + margin});
  }
  const auto& health = model.snapshot->health;
  const auto shortest = [&]() -> CardColumn& {
    return *std::min_element(all.begin(), all.end(),
                             [](const CardColumn& a, const CardColumn& b) { return a.y < b.y; });
  };
  draw_verdict(all.front(), health, model);
  draw_operations_lists(columns > 1 ? all[1] : all[0], health);
  draw_records(columns > 2 ? all[2] : all[0], health, model);
  draw_cost(shortest(), health, model);
  float bottom = 0;
  for (const CardColumn& column : all) bottom = std::max(bottom, column.y);
  ImGui::SetCursorScreenPos({canvas.min.x, top});
  ImGui::Dummy({1, bottom - top + canvas.px(8)});
  ImGui::EndChild();
}

}  // namespace compmond::ui
