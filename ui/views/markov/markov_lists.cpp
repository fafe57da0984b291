// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/views/markov/markov.h"
#include "ui/views/shared/definitions.h"

namespace compmond::ui {
namespace {

constexpr float kRow = 22, kHead = 30, kPad = 14;  // design pixels
constexpr size_t kRows = 6;                        // more are scrolled

}  // namespace

float MarkovView::lists_height(const Canvas& canvas) const {
  if (chosen_ < 0) return 0;
  const size_t rows = std::max(data_.into(chosen_).size(), data_.out_of(chosen_).size());
  const float wanted =
      canvas.px(kHead + 10) + canvas.px(kRow) * float(std::clamp<size_t>(rows, 1, kRows));
  return std::min(wanted, canvas.height() * 0.45f);
}

void MarkovView::draw_list(const Canvas& canvas, const char* title, ImVec2 min, ImVec2 max,
                           const std::vector<MarkovData::Transition>& list, bool into,
                           Model& model) {
  const Theme& theme = canvas.theme;
  draw_text(canvas.list, theme.bold, {min.x, min.y + (canvas.px(kHead) - theme.bold->FontSize) / 2},
            theme.text, title, max.x - min.x);
  const float top = min.y + canvas.px(kHead), row = canvas.px(kRow);
  if (list.empty()) {
    draw_text(canvas.list, theme.body, {min.x, top}, theme.dim,
              into ? "nothing: traces begin with it" : "nothing: traces end with it",
              max.x - min.x);
    return;
  }
  ImGui::SetCursorScreenPos({min.x, top});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::BeginChild(title, {max.x - min.x, std::max(1.f, max.y - top)});
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float right = max.x - canvas.px(14);
  const float share = right - canvas.px(70), name_right = share - canvas.px(66);
  ImGuiListClipper clipper;
  clipper.Begin(int(list.size()), row);
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const auto& transition = list[size_t(i)];
      const int other = into ? transition.from : transition.to;
      const float y = ImGui::GetCursorScreenPos().y;
      ImGui::PushID(i);
      if (ImGui::InvisibleButton("row", {std::max(1.f, right - min.x), row})) choose(other, model);
      ImGui::PopID();
      if (ImGui::IsItemHovered()) {
        draw->AddRectFilled({min.x - canvas.px(4), y}, {right + canvas.px(4), y + row},
                            with_alpha(theme.blue, 0.1f), canvas.px(4));
        transition_tooltip(canvas, transition, model);
      }
      const auto middle = [&](ImFont* font) { return y + (row - font->FontSize) / 2; };
      draw_text(draw, theme.body, {min.x, middle(theme.body)}, theme.text,
                markov_name(model, data_.states[size_t(other)]), name_right - min.x);
      draw_text_right(draw, theme.mono, {share, middle(theme.mono)}, theme.strong,
                      text::probability(transition.probability));
      draw_text_right(draw, theme.mono_small, {right, middle(theme.mono_small)}, theme.dim,
                      answer_.mark() + text::short_count(double(transition.count)) + "×");
    }
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

void MarkovView::draw_lists(const Canvas& canvas, float top, Model& model) {
  const Theme& theme = canvas.theme;
  draw_ground(canvas.list, {canvas.min.x, top}, canvas.max, theme.panel);
  canvas.list->AddLine({canvas.min.x, top}, {canvas.max.x, top}, theme.line);
  const float middle = (canvas.min.x + canvas.max.x) / 2, pad = canvas.px(kPad);
  // What is chosen may change while the first list is drawn.
  const auto into = data_.into(chosen_), out = data_.out_of(chosen_);
  const float bottom = canvas.max.y - canvas.px(4);
  draw_list(canvas, "comes after", {canvas.min.x + pad, top}, {middle - pad / 2, bottom}, into,
            true, model);
  canvas.list->AddLine({middle, top + canvas.px(8)}, {middle, canvas.max.y - canvas.px(8)},
                       theme.line);
  draw_list(canvas, "is followed by", {middle + pad / 2, top}, {canvas.max.x - pad, bottom}, out,
            false, model);
}

}  // namespace compmond::ui
