// SPDX-License-Identifier: Apache-2.0
#include "ui/frame/filter_bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "text/clean.h"
#include "text/match.h"
#include "text/numbers.h"
#include "ui/kit/chip.h"
#include "ui/kit/draw.h"
#include "ui/kit/names.h"

namespace compmond::ui {
namespace {

constexpr float kBarHeight = 36;     // design pixels
constexpr size_t kSearchFrom = 12;   // choices; fewer are found by looking
constexpr size_t kLines = 14;        // of a list; the rest is scrolled to
constexpr uint64_t kMs = 1'000'000;  // ns
constexpr std::array<uint64_t, 8> kDurations = {0,       kMs / 100, kMs / 10,  kMs,
                                                3 * kMs, 10 * kMs,  100 * kMs, 1000 * kMs};

std::string at_least(uint64_t ns) {
  return ns == 0 ? "any duration" : "at least " + text::duration(double(ns));
}

// A chip of the bar that says `text`; whether its list is open.
bool open_list(const Canvas& canvas, ImVec2 min, ImVec2 max, const char* id,
               const std::string& text, bool narrows, const std::string& meaning) {
  const Theme& theme = canvas.theme;
  const float room = max.x - min.x - canvas.px(30);
  const bool cut = text_size(theme.body, text).x > room;
  const bool open = open_chip(theme, {id, min, max, cut ? text : "", meaning, narrows});
  draw_text(canvas.list, theme.body,
            {min.x + canvas.px(9), (min.y + max.y - theme.body->FontSize) / 2},
            narrows ? theme.strong : theme.dim, text, room);
  return open;
}

bool contains(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

bool of_chosen(const Model& model, const std::string& component) {
  const auto& chosen = model.settings.filter.components;
  return chosen.empty() || std::any_of(chosen.begin(), chosen.end(), [&](const std::string& path) {
           return text::inside(component, path);
         });
}

}  // namespace

bool filters(const Model& model) {
  const auto& filter = model.settings.filter;
  return !filter.components.empty() || !filter.operations.empty() || !filter.threads.empty() ||
         filter.min_duration_ns > 0;
}

float FilterBar::wanted_height(const Model& model, const Theme& theme) const {
  return model.filter_open || filters(model) ? theme.px(kBarHeight) : 0;
}

template <class All>
void FilterBar::draw_names(const Canvas& canvas, ImVec2 min, ImVec2 max, const char* what,
                           const std::string& one, All all, std::vector<std::string>& chosen) {
  const std::string text = chosen.empty()       ? fmt::format("all {}", what)
                           : chosen.size() == 1 ? one + text::clean(chosen.front())
                                                : fmt::format("{} {}", chosen.size(), what);
  const std::string meaning =
      fmt::format("Only executions of these {} count. None chosen: all count.", what);
  if (open_list(canvas, min, max, what, text, !chosen.empty(), meaning))
    draw_list(canvas, what, all(), chosen);
}

// The open list; closes what open_chip() has begun.
void FilterBar::draw_list(const Canvas& canvas, const char* what, const std::vector<Choice>& all,
                          std::vector<std::string>& chosen) {
  if (ImGui::IsWindowAppearing()) search_[0] = 0;
  if (all.size() >= kSearchFrom) {
    if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
    ImGui::SetNextItemWidth(canvas.px(280));
    ImGui::InputTextWithHint("##search", "search", search_.data(), search_.size());
  }
  if (ImGui::Selectable(fmt::format("all {}", what).c_str(), chosen.empty())) chosen.clear();
  const ImGuiTextFilter search(search_.data());
  std::vector<const Choice*> found;
  for (const Choice& one : all)
    if (search.PassFilter(one.label.c_str())) found.push_back(&one);
  const float line = ImGui::GetTextLineHeightWithSpacing();
  const auto shown = float(std::min<size_t>(found.size(), kLines));
  ImGui::BeginChild("choices", {canvas.px(320), shown * line + canvas.px(4)});
  ImGuiListClipper clipper;
  clipper.Begin(int(found.size()));
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const Choice& one = *found[size_t(i)];
      ImGui::PushID(one.id.c_str());
      const bool on = contains(chosen, one.id);
      if (ImGui::Selectable("##one", on, ImGuiSelectableFlags_DontClosePopups)) {
        if (on)
          std::erase(chosen, one.id);
        else
          chosen.push_back(one.id);
      }
      ImGui::SameLine(0, 0);
      ImGui::TextUnformatted(one.label.c_str());
      ImGui::PopID();
    }
  ImGui::EndChild();
  ImGui::EndPopup();
}

void FilterBar::draw_duration(const Canvas& canvas, ImVec2 min, ImVec2 max, Model& model) {
  uint64_t& least = model.settings.filter.min_duration_ns;
  if (!open_list(canvas, min, max, "duration", at_least(least), least > 0,
                 "Only executions whose whole raw time is at least so long count."))
    return;
  for (const uint64_t ns : kDurations)
    if (ImGui::Selectable(at_least(ns).c_str(), ns == least)) least = ns;
  double ms = double(least) / double(kMs);
  ImGui::SetNextItemWidth(canvas.px(90));
  if (ImGui::InputDouble("ms", &ms, 0, 0, "%g", ImGuiInputTextFlags_EnterReturnsTrue))
    least = uint64_t(std::clamp(ms, 0.0, 1e9) * double(kMs));
  ImGui::EndPopup();
}

void FilterBar::draw_threads(const Canvas& canvas, ImVec2 min, ImVec2 max, Model& model) {
  auto& threads = model.settings.filter.threads;
  std::vector<std::string> chosen;
  for (const int64_t tid : threads) chosen.push_back(fmt::format("{}", tid));
  const auto all = [&] {
    std::vector<Choice> out;
    if (!model.snapshot) return out;
    for (const auto& thread : model.snapshot->threads)
      out.push_back({fmt::format("{}", thread.tid), thread_name(thread.name, thread.tid)});
    return out;
  };
  draw_names(canvas, min, max, "threads", "thread ", all, chosen);
  threads.clear();
  for (const std::string& tid : chosen) {
    int64_t number = 0;
    std::from_chars(tid.data(), tid.data() + tid.size(), number);
    threads.push_back(number);
  }
}

void FilterBar::draw_lists(const Canvas& canvas, ImVec2 min, ImVec2 max, Model& model) {
  auto& filter = model.settings.filter;
  const float gap = canvas.px(7);
  const float width = std::min(canvas.px(230), (max.x - min.x) / 4 - gap);
  float x = min.x;
  const auto place = [&] {
    const ImVec2 left{x, min.y}, right{x + width, max.y};
    x = right.x + gap;
    return std::pair(left, right);
  };

  const snapshot::Snapshot none;
  const snapshot::Snapshot& snapshot = model.snapshot ? *model.snapshot : none;
  const auto components = [&] {
    std::vector<Choice> out;
    for (const auto& component : snapshot.components)
      out.push_back({component.name, text::clean(component.name)});
    return out;
  };
  const auto operations = [&] {
    std::vector<Choice> out;
    for (const auto& component : snapshot.components)
      for (const auto& operation : component.operations)
        if (of_chosen(model, component.name))
          out.push_back({operation.name, text::clean(operation.name)});
    return out;
  };
  const auto [components_min, components_max] = place();
  draw_names(canvas, components_min, components_max, "components", "", components,
             filter.components);
  const auto [operations_min, operations_max] = place();
  draw_names(canvas, operations_min, operations_max, "operations", "", operations,
             filter.operations);
  const auto [duration_min, duration_max] = place();
  draw_duration(canvas, duration_min, duration_max, model);
  const auto [threads_min, threads_max] = place();
  draw_threads(canvas, threads_min, threads_max, model);
}

void FilterBar::draw(const Canvas& canvas, Model& model) {
  const Theme& theme = canvas.theme;
  const bool on = filters(model);
  draw_ground(canvas.list, canvas.min, canvas.max,
              on ? mix(theme.panel, theme.blue_fill, 0.28f) : theme.panel);
  canvas.list->AddLine({canvas.min.x, canvas.max.y - 1}, {canvas.max.x, canvas.max.y - 1},
                       on ? theme.blue : theme.line);
  const float top = canvas.min.y + canvas.px(5), bottom = canvas.max.y - canvas.px(6);
  const float middle = (top + bottom) / 2;
  float x = canvas.min.x + canvas.px(16);
  const char* title = on ? "counts only" : "filter";
  draw_text(canvas.list, theme.bold, {x, middle - theme.bold->FontSize / 2},
            on ? theme.strong : theme.text, title);
  x += text_size(theme.bold, title).x + canvas.px(12);
  const char* end = on ? "count all (X)" : "close (I)";
  const float end_width = text_size(theme.body, end).x + canvas.px(20);
  const float end_left = canvas.max.x - canvas.px(14) - end_width;
  draw_lists(canvas, {x, top}, {end_left - canvas.px(10), bottom}, model);
  if (button(theme, end, {end_left, top}, {end_left + end_width, bottom}, Look::kPlain)) {
    model.settings.filter = {};
    model.filter_open = false;
  }
  if (on && ImGui::IsItemHovered())
    tooltip(theme, "count all (X)",
            "Figures, views and details count every execution again. The time scale follows "
            "components and operations alone.");
}

}  // namespace compmond::ui
