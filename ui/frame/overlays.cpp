// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "ui/frame/frame.h"
#include "ui/kit/draw.h"

namespace compmond::ui {
namespace {

constexpr double kToastSeconds = 6, kBadToastSeconds = 14, kFadeSeconds = 0.3;

struct Key {
  const char *keys, *what;
};
constexpr std::array kKeys = {
    Key{"1 – 9, 0", "views, in the order of their tabs"},
    Key{"space", "pause, go on"},
    Key{"L", "back to live"},
    Key{"← →", "move the window (shift: by its whole length)"},
    Key{"+ −", "longer, shorter window"},
    Key{"↑ ↓", "select the next component"},
    Key{"/ or Ctrl F", "search components and operations"},
    Key{"R", "traces of what is selected"},
    Key{"G", "inside: the functions of what is selected"},
    Key{"S", "snapshot: JSON of exactly what is shown"},
    Key{"P", "picture of the window (PNG)"},
    Key{"H", "health, and back"},
    Key{"W, U", "lists of metrics, of hues (↑ ↓, Enter, Esc)"},
    Key{"D", "details panel on, off"},
    Key{"I", "filter: which executions count"},
    Key{"X", "filter off: all count again"},
    Key{"T", "dark, light"},
    Key{"backspace", "show all hidden components again"},
    Key{"F, A", "map, graphs: fit, arrange again"},
    Key{"V", "call tree: flame graph; matrix; inside: icicle"},
    Key{"O", "graphs: operations, components; inside: callers"},
    Key{"M", "raw, real; times; inside: on CPU, waiting"},
    Key{"E", "call tree: all levels; inside: files, whose"},
    Key{"B, N", "flame graph: neighbours; Markov: threshold"},
    Key{"C", "timing: calls as arrows"},
    Key{"K . < >", "replay: play or pause, step, slower, faster"},
    Key{"K, J", "live: pause all probes; switch the selection off"},
    Key{"page ↑ ↓, home", "replay: back, on by a tenth; to the beginning"},
    Key{"Enter", "traces: the sequence; then: on the timeline"},
    Key{"Esc", "back: close, deselect"},
    Key{"?", "these keys"},
};

void backdrop(const Canvas& canvas, ImVec2 min, ImVec2 max) {
  const float r = canvas.px(8);
  for (int i = 1; i <= 4; ++i) {
    const float grow = canvas.px(2.f * float(i));
    canvas.list->AddRectFilled({min.x - grow, min.y - grow}, {max.x + grow, max.y + grow},
                               with_alpha(from_rgb(0), 0.06f), r + grow);
  }
  canvas.list->AddRectFilled(min, max, canvas.theme.raised, r);
  canvas.list->AddRect(min, max, canvas.theme.bar_line, r);
}

}  // namespace

void draw_keys(const Canvas& canvas, bool& open) {
  const Theme& theme = canvas.theme;
  canvas.list->AddRectFilled(canvas.min, canvas.max,
                             with_alpha(from_rgb(0), theme.dark ? 0.55f : 0.3f));
  const float pad = canvas.px(24), head = canvas.px(34);
  const float row = std::min(
      canvas.px(24), (canvas.height() - 2 * pad - head - canvas.px(8)) / float(kKeys.size()));
  const float width = canvas.px(460), height = row * float(kKeys.size()) + pad * 2 + head;
  const ImVec2 min{std::round((canvas.min.x + canvas.max.x - width) / 2),
                   std::round((canvas.min.y + canvas.max.y - height) / 2)};
  const ImVec2 max{min.x + width, min.y + height};
  backdrop(canvas, min, max);
  draw_text(canvas.list, theme.title, {min.x + pad, min.y + pad}, theme.strong, "Keys");
  float y = min.y + pad + head;
  for (const Key& key : kKeys) {
    draw_text(canvas.list, theme.bold, {min.x + pad, y}, theme.blue_text, key.keys);
    draw_text(canvas.list, theme.body, {min.x + pad + canvas.px(122), y}, theme.text, key.what);
    y += row;
  }
  if (ImGui::IsMouseClicked(0)) open = false;
}

bool draw_toast(const Canvas& canvas, Model& model) {
  if (!model.toast) return false;
  const Theme& theme = canvas.theme;
  const double shown = model.clock_s - model.toast->since_s;
  const double until = model.toast->bad ? kBadToastSeconds : kToastSeconds;
  if (shown > until) {
    model.toast.reset();
    return true;  // one more frame, without it
  }
  const float alpha = float(std::clamp((until - shown) / kFadeSeconds, 0.0, 1.0));
  const float widest = std::min(canvas.px(560), canvas.width() - canvas.px(32));
  const std::string& text = model.toast->text;
  const ImVec2 size =
      theme.body->CalcTextSizeA(theme.body->FontSize, FLT_MAX, widest - canvas.px(40), text.data(),
                                text.data() + text.size());
  const float width = size.x + canvas.px(40), height = size.y + canvas.px(20);
  const ImVec2 min{std::round((canvas.min.x + canvas.max.x - width) / 2),
                   canvas.max.y - height - canvas.px(16)};
  const ImVec2 max{min.x + width, min.y + height};
  const ImU32 mark = model.toast->bad ? theme.amber : theme.green;
  backdrop(canvas, min, max);
  canvas.list->AddRectFilled(min, {min.x + canvas.px(4), max.y}, with_alpha(mark, alpha),
                             canvas.px(4));
  canvas.list->AddText(theme.body, theme.body->FontSize,
                       {min.x + canvas.px(20), min.y + canvas.px(10)},
                       with_alpha(theme.text, alpha), text.data(), text.data() + text.size(),
                       widest - canvas.px(40));
  return true;
}

}  // namespace compmond::ui
