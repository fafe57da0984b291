// SPDX-License-Identifier: Apache-2.0
#include "ui/views/health/health.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "snapshot/doubt.h"
#include "text/clean.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/model/run_time.h"
#include "ui/model/switching.h"
#include "ui/views/health/cards.h"
#include "ui/views/shared/empty.h"

namespace compmond::ui {
namespace {

std::string operations_text(size_t count) {
  return text::counted(count, "operation is", "operations are");
}

void add_doubts(std::vector<std::string>& doubts, const snapshot::SamplesHealth& samples) {
  if (samples.lost > 0)
    doubts.push_back(fmt::format("{} samples were lost: intervals are wider for it.",
                                 text::count(samples.lost)));
  if (samples.off_cpu_share <= 0)
    doubts.push_back("Waiting is not sampled: real times are those on a CPU.");
  else if (!sees_all_waiting(samples))
    doubts.push_back(
        fmt::format("Waiting was sampled in {} of the time: waiting, and real times "
                    "that rest on samples, are at least what is shown.",
                    text::percent(100 * samples.off_cpu_share)));
  const uint64_t cut = samples.truncated + samples.broken;
  if (double(cut) > kCutMost * double(samples.taken))
    doubts.push_back(
        fmt::format("The callers of {} of the stacks are not known: raw times and "
                    "lines may be larger than shown.",
                    part_text(cut, samples)));
}

void draw_verdict(CardColumn& column, const snapshot::Health& health, const Model& model) {
  const Theme& theme = column.theme;
  std::vector<std::string> doubts, notes;
  for (const std::string& note : health.notes)
    (note.starts_with(snapshot::kBusyNote) ? doubts : notes).push_back(text::clean(note));
  if (model.frozen())
    doubts.push_back("There is no connection: figures stand as the last answer told them.");
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
                     " away because the probes were too dear.");
  if (health.samples) add_doubts(doubts, *health.samples);
  size_t uncertain = 0;
  for (const auto& component : model.snapshot->components)
    uncertain += component.figures.uncertain && !times_estimated(component.figures);
  const bool wanted = unseen_by_wish(*model.snapshot);
  if (wanted) notes.push_back(unseen_by_wish_text(*model.snapshot));
  if (uncertain > 0 && !wanted)
    doubts.push_back(fmt::format("{}: {}.", text::counted(uncertain, "uncertain real time"),
                                 why_uncertain(*model.snapshot)));
  if (!health.disabled.empty())
    notes.push_back(operations_text(health.disabled.size()) +
                    (rests_on_samples(*model.snapshot)
                         ? " switched off: their calls are those of the time before."
                         : " switched off: their figures are those of the time before."));
  const bool all = doubts.empty() && health.disabled.empty() && !wanted;
  column.card(all ? "All figures can be trusted" : "What to keep in mind", [&] {
    if (all)
      column.text(theme.green, is_import(health) ? "The log was read whole."
                               : knows_no_calls(*model.snapshot)
                                   ? "Every operation of the spec is sampled and no sample was "
                                     "lost. Figures are estimates: ± is half of the interval that "
                                     "holds the true value 95 times of 100."
                                   : "Every operation of the spec is observed, nothing was lost, "
                                     "and the accounts hold.");
    for (const std::string& doubt : doubts) {
      draw_hatch(column.canvas.list, {column.inner(), column.y + column.px(2)},
                 {column.inner() + column.px(5), column.y + column.px(15)}, theme.amber,
                 column.px(4));
      column.text(theme.amber, doubt, column.px(13));
    }
    for (const std::string& note : notes) column.text(theme.text, note, column.px(13));
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
  const bool probes = !knows_no_calls(*model.snapshot);
  draw_operations_lists(columns > 1 ? all[1] : all[0], health, probes);
  if (probes || !health.switches.empty()) draw_switched(columns > 1 ? all[1] : all[0], model);
  CardColumn& last = columns > 2 ? all[2] : all[0];
  if (health.samples) draw_samples(last, *health.samples);
  if (probes) draw_records(last, health, model);
  CardColumn& low = shortest();
  draw_cost(low, health, model);
  draw_target(low, health, model);
  float bottom = 0;
  for (const CardColumn& column : all) bottom = std::max(bottom, column.y);
  ImGui::SetCursorScreenPos({canvas.min.x, top});
  ImGui::Dummy({1, bottom - top + canvas.px(8)});
  ImGui::EndChild();
}

}  // namespace compmond::ui
