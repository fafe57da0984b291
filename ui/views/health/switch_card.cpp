// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "text/clean.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/kit/link_row.h"
#include "ui/model/run_time.h"
#include "ui/model/switching.h"
#include "ui/views/health/cards.h"

namespace compmond::ui {
namespace {

constexpr size_t kNamed = 12, kSwitches = 12;  // the rest is counted
constexpr double kTenth = 1e8;                 // ns: moments are told to that

void draw_names(CardColumn& column, const std::vector<std::string>& all) {
  const Theme& theme = column.theme;
  for (size_t i = 0; i < std::min(all.size(), kNamed); ++i) {
    const std::string name = text::clean(all[i]);
    if (draw_text(column.canvas.list, theme.mono, {column.inner(), column.y}, theme.dim, name,
                  column.inner_right() - column.inner()) &&
        ImGui::IsWindowHovered() &&
        ImGui::IsMouseHoveringRect({column.left, column.y},
                                   {column.right, column.y + theme.mono->FontSize}))
      tooltip(theme, "", name);
    column.y += theme.mono->FontSize + column.px(3);
  }
  if (all.size() > kNamed)
    column.text(theme.dim, fmt::format("and {} more", text::count(all.size() - kNamed)));
}

// The newest first.
void draw_list(CardColumn& column, const Model& model) {
  const Theme& theme = column.theme;
  const auto& switches = model.snapshot->health.switches;
  if (switches.empty()) return;
  column.y += column.px(6);
  const size_t shown = std::min(switches.size(), kSwitches);
  float widest = 0;
  const auto moment = [&](size_t i) { return moment_text(model, switches[i].at_ns, kTenth); };
  for (size_t i = switches.size() - shown; i < switches.size(); ++i)
    widest = std::max(widest, text_size(theme.mono, moment(i)).x);
  for (size_t i = switches.size(); i-- > switches.size() - shown;) {
    const float words = column.inner() + widest + column.px(10);
    draw_text_right(column.canvas.list, theme.mono, {column.inner() + widest, column.y}, theme.dim,
                    moment(i));
    draw_text(column.canvas.list, theme.body, {words, column.y}, theme.text,
              switch_text(switches[i]), column.inner_right() - words);
    column.y += column.px(20);
  }
  if (switches.size() > shown)
    column.text(theme.dim, fmt::format("and {} before", text::count(switches.size() - shown)));
}

}  // namespace

void draw_switched(CardColumn& column, Model& model) {
  const snapshot::Health& health = model.snapshot->health;
  const bool may = may_switch(model);
  if (!may && health.disabled.empty() && health.switches.empty()) return;
  column.card("Switched on and off", [&] {
    if (const std::string paused = probes_paused_text(model); !paused.empty())
      column.text(column.theme.text, "All " + paused + ": no call is seen.");
    column.figure(Term::kSwitchedOff, fmt::format("{} of {}", text::count(health.disabled.size()),
                                                  text::count(health.operations())));
    if (!health.probes_paused) draw_names(column, health.disabled);
    draw_list(column, model);
    if (!may) return;
    LinkRow links{column.theme, column.inner(), column.y, column.px(22), column.px(16)};
    if (links.link(health.probes_paused ? "resume all probes" : "pause all probes"))
      pause_or_resume_probes(model);
    if (ImGui::IsItemHovered())
      tooltip(column.theme, health.probes_paused ? "resume (K)" : "pause (K)",
              health.probes_paused ? "All probes come back."
                                   : "All probes go: the program runs as if nobody looked. What "
                                     "was seen stays.");
    column.y += column.px(22);
  });
}

}  // namespace compmond::ui
