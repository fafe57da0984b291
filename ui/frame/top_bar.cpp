// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "text/clean.h"
#include "text/numbers.h"
#include "ui/frame/frame.h"
#include "ui/frame/menus.h"
#include "ui/frame/tabs.h"
#include "ui/kit/draw.h"

namespace compmond::ui {
namespace {

// From the longest to the shortest.
std::vector<std::string> target_texts(const Model& model) {
  if (!model.snapshot || model.snapshot->targets.empty()) return {model.link.address};
  const auto& targets = model.snapshot->targets;
  const std::string name = name_text(targets.front());
  const size_t threads = model.snapshot->threads.size();
  const std::string who =
      targets.size() == 1
          ? fmt::format("{} · pid {}", name, targets.front().pid)
          : fmt::format("{} and {}{} more processes", name, threads_mark(*model.snapshot),
                        text::count(targets.size() - 1 + model.snapshot->targets_left_out));
  if (model.run.replay) return {who + " · replay", name + " · replay", "replay"};
  const std::string others = targets.size() == 1 ? "" : " and others";
  return {fmt::format("{} · {}{}", who, threads_mark(*model.snapshot),
                      text::counted(threads, "thread")),
          who, name + others, name.substr(0, name.find(" (")) + others,
          name.substr(0, name.find(" ("))};
}

struct Bar {
  const Canvas& canvas;
  const Theme& theme;
  float top, bottom;

  float text_y(ImFont* font) const { return (top + bottom - font->FontSize) / 2; }
};

float metric_width(const Theme& theme, const Model& model, bool narrow) {
  const float width = text_size(theme.body, model.settings.metric).x + theme.px(narrow ? 34 : 84);
  return std::min(width, theme.px(190));
}

constexpr float kHue = 76, kNarrowHue = 46, kFilter = 30, kGap = 7, kSide = 14;  // design pixels

float snapshot_width(const Theme& theme) {
  return text_size(theme.body, "snapshot").x + theme.px(20);
}

float tools_width(const Theme& theme, const Model& model) {
  return snapshot_width(theme) + metric_width(theme, model, false) +
         theme.px(kHue + kFilter + 4 * kGap + kSide);
}

// From the right: snapshot, hue, filter, metric. Returns where free room ends.
float draw_tools(const Bar& bar, Model& model, bool narrow) {
  const Theme& theme = bar.theme;
  float right = bar.canvas.max.x - theme.px(kSide);
  const auto place = [&](float width) {
    const ImVec2 min{right - width, bar.top}, max{right, bar.bottom};
    right = min.x - theme.px(kGap);
    return std::pair(min, max);
  };
  {
    const auto [min, max] = place(snapshot_width(theme));
    if (button(theme, "snapshot", min, max, Look::kPlain)) model.wishes.snapshot = true;
    if (ImGui::IsItemHovered())
      tooltip(theme, "snapshot (S)", "Writes the figures exactly as they are shown to a JSON file.",
              "P writes a picture of the window.");
  }
  {
    const auto [min, max] = place(theme.px(narrow ? kNarrowHue : kHue));
    draw_hue_menu(theme, model, min, max, narrow);
  }
  {
    const auto [min, max] = place(theme.px(kFilter));
    draw_filter_button(theme, model, min, max);
  }
  {
    const auto [min, max] = place(metric_width(theme, model, narrow));
    draw_metric_menu(theme, model, min, max, narrow);
  }
  return right;
}

}  // namespace

std::string screen_title(const Model& model) {
  const char* state = model.frozen()                      ? " (no connection)"
                      : model.snapshot && !model.run.live ? " (ended)"
                                                          : "";
  const std::string spec = text::clean(model.hello.spec_name);
  return spec.empty() ? "compmond" : fmt::format("{}{} – compmond", spec, state);
}

void draw_top_bar(const Canvas& canvas, Model& model, ViewKinds views, size_t current) {
  const Theme& theme = canvas.theme;
  canvas.list->AddLine({canvas.min.x, canvas.max.y - 1}, {canvas.max.x, canvas.max.y - 1},
                       theme.line);
  const float middle = (canvas.min.y + canvas.max.y) / 2;
  const Bar bar{canvas, theme, middle - theme.px(14), middle + theme.px(14)};
  const float left = canvas.min.x + theme.px(16);
  const float name_width = text_size(theme.title, "compmond").x;
  const float tabs_left = left + name_width + theme.px(14);
  const bool narrow =
      canvas.max.x - tabs_left - tools_width(theme, model) < tabs_and_names_width(theme, views);
  const float tools = draw_tools(bar, model, narrow);
  const TabRoom room_for_tabs{tabs_left, tools, bar.top, bar.bottom};
  const float tabs = draw_tabs(canvas, model, views, current, room_for_tabs);

  const std::string spec = text::clean(model.hello.spec_name);
  const std::vector<std::string> targets = target_texts(model);
  draw_text(canvas.list, theme.title, {left, bar.text_y(theme.title)}, theme.strong, "compmond");
  if (ImGui::IsMouseHoveringRect({left, bar.top}, {left + name_width, bar.bottom}))
    tooltip(theme, spec, targets.front());
  float x = left + name_width + theme.px(12);
  const auto piece = [&](ImFont* font, ImU32 colour, const std::string& text) {
    const float room = tabs - theme.px(16) - x;
    if (room < theme.px(56)) return;
    const float width = std::min(room, text_size(font, text).x);
    const float y = bar.text_y(font) + theme.px(font == theme.body ? 1 : 0);
    if (draw_text(canvas.list, font, {x, y}, colour, text, room) &&
        ImGui::IsMouseHoveringRect({x, bar.top}, {x + width, bar.bottom}))
      tooltip(theme, "", text);
    x += width + theme.px(12);
  };
  piece(theme.bold, theme.text, spec);
  const float room = tabs - theme.px(16) - x;
  const auto fits = std::find_if(targets.begin(), targets.end(), [&](const std::string& text) {
    return text_size(theme.body, text).x <= room;
  });
  piece(theme.body, theme.dim, fits == targets.end() ? targets.back() : *fits);
}

}  // namespace compmond::ui
