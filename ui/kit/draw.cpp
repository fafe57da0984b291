// SPDX-License-Identifier: Apache-2.0
#include "ui/kit/draw.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

namespace compmond::ui {
namespace {

bool tooltips_shown = true;  // of the one screen that a thread draws

const char* end_of(std::string_view text) { return text.data() + text.size(); }

// Only tells grounds from other commands.
void ground(const ImDrawList*, const ImDrawCmd*) {}

}  // namespace

void draw_ground(ImDrawList* list, ImVec2 min, ImVec2 max, ImU32 colour) {
  if (max.x <= min.x || max.y <= min.y) return;
  list->PushClipRect(min, max, true);
  list->AddCallback(ground, reinterpret_cast<void*>(uintptr_t(colour)));
  list->PopClipRect();
}

void draw_ground(ImDrawList* list, ImVec2 min, ImVec2 max, ImU32 colour, float rounding) {
  list->AddRectFilled(min, {max.x, min.y + 2 * rounding}, colour, rounding,
                      ImDrawFlags_RoundCornersTop);
  list->AddRectFilled({min.x, max.y - 2 * rounding}, max, colour, rounding,
                      ImDrawFlags_RoundCornersBottom);
  draw_ground(list, {std::ceil(min.x), std::ceil(min.y + rounding)},
              {std::floor(max.x), std::floor(max.y - rounding)}, colour);
}

std::optional<ImU32> ground_of(const ImDrawCmd& command) {
  if (command.UserCallback != ground) return std::nullopt;
  return ImU32(reinterpret_cast<uintptr_t>(command.UserCallbackData));
}

ImVec2 text_size(ImFont* font, std::string_view text) {
  if (text.empty()) return {0, font->FontSize};
  return font->CalcTextSizeA(font->FontSize, FLT_MAX, 0, text.data(), end_of(text));
}

bool draw_text(ImDrawList* list, ImFont* font, ImVec2 at, ImU32 colour, std::string_view text,
               float width, std::span<const std::string> others) {
  if (text.empty()) return false;
  at = {std::round(at.x), std::round(at.y)};
  if (width > 0 && text_size(font, text).x > width) {
    const std::string cut = ellipsized(font, text, width, others);
    list->AddText(font, font->FontSize, at, colour, cut.data(), end_of(cut));
    return true;
  }
  list->AddText(font, font->FontSize, at, colour, text.data(), end_of(text));
  return false;
}

void draw_text_right(ImDrawList* list, ImFont* font, ImVec2 right, ImU32 colour,
                     std::string_view text) {
  draw_text(list, font, {right.x - text_size(font, text).x, right.y}, colour, text);
}

void draw_text_centred(ImDrawList* list, ImFont* font, ImVec2 centre, ImU32 colour,
                       std::string_view text) {
  const ImVec2 size = text_size(font, text);
  draw_text(list, font, {centre.x - size.x / 2, centre.y - size.y / 2}, colour, text);
}

void draw_text_up(ImDrawList* list, ImFont* font, ImVec2 at, ImU32 colour, std::string_view text,
                  float length) {
  const std::string shown = ellipsized(font, text, length);
  // Written in the corner of what can be seen, where nothing is cut away, and then turned.
  const ImVec2 from = list->GetClipRectMin();
  const int first = list->VtxBuffer.Size;
  list->AddText(font, font->FontSize, from, colour, shown.data(), end_of(shown));
  for (int i = first; i < list->VtxBuffer.Size; ++i) {
    ImVec2& pos = list->VtxBuffer[i].pos;
    pos = {std::round(at.x) + pos.y - from.y, std::round(at.y) - (pos.x - from.x)};
  }
}

void draw_hatch(ImDrawList* list, ImVec2 min, ImVec2 max, ImU32 colour, float gap) {
  const float height = max.y - min.y;
  if (height <= 0 || max.x <= min.x) return;
  list->PushClipRect(min, max, true);
  for (float x = min.x - height; x < max.x; x += gap)
    list->AddLine({x, max.y}, {x + height, min.y}, colour, gap * 0.3f);
  list->PopClipRect();
}

void draw_head(ImDrawList* list, const geometry::ArrowHead& corners, ImU32 colour) {
  const auto at = [&](size_t i) { return ImVec2(float(corners[i].x), float(corners[i].y)); };
  list->AddTriangleFilled(at(0), at(1), at(2), colour);
}

void draw_dashed(ImDrawList* list, ImVec2 from, ImVec2 to, ImU32 colour, float thickness,
                 float dash) {
  const float dx = to.x - from.x, dy = to.y - from.y, length = std::hypot(dx, dy);
  if (length <= 0) return;
  for (float at = 0; at < length; at += 2 * dash) {
    const float end = std::min(at + dash, length);
    list->AddLine({from.x + dx * at / length, from.y + dy * at / length},
                  {from.x + dx * end / length, from.y + dy * end / length}, colour, thickness);
  }
}

bool button(const Theme& theme, const char* label, ImVec2 min, ImVec2 max, Look look) {
  ImGui::SetCursorScreenPos(min);
  const bool clicked = ImGui::InvisibleButton(label, {max.x - min.x, max.y - min.y});
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float rounding = theme.px(5);
  ImU32 colour = theme.text;
  if (look == Look::kFilled) {
    list->AddRectFilled(min, max, theme.blue_fill, rounding);
    colour = theme.on_blue;
  } else if (look == Look::kPlain) {
    list->AddRectFilled(min, max, hovered ? mix(theme.raised, theme.blue, 0.18f) : theme.raised,
                        rounding);
    list->AddRect(min, max, theme.line, rounding);
  } else if (look == Look::kQuiet) {
    if (hovered) list->AddRectFilled(min, max, theme.raised, rounding);
    colour = hovered ? theme.text : theme.dim;
  } else {
    colour = theme.blue_text;
    if (hovered) list->AddLine({min.x, max.y - theme.px(3)}, {max.x, max.y - theme.px(3)}, colour);
  }
  if (look != Look::kLink && ImGui::IsItemFocused() && ImGui::GetIO().NavVisible)
    list->AddRect(min, max, theme.blue, rounding);
  const std::string_view text(label, ImGui::FindRenderedTextEnd(label) - label);
  draw_text_centred(list, look == Look::kFilled ? theme.bold : theme.body,
                    {(min.x + max.x) / 2, (min.y + max.y) / 2}, colour, text);
  return clicked;
}

void show_tooltips(bool shown) { tooltips_shown = shown; }

void tooltip(const Theme& theme, std::string_view title, std::string_view text,
             std::string_view definition) {
  if (!tooltips_shown) return;
  ImGui::PushStyleColor(ImGuiCol_Border, theme.bar_line);
  ImGui::BeginTooltip();
  // Only for words that are wider than that: in the window's coordinates, in which text begins
  // after its padding.
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + theme.px(340));
  const auto part = [&](ImFont* font, ImU32 colour, std::string_view words) {
    if (words.empty()) return;
    ImGui::PushFont(font);
    ImGui::PushStyleColor(ImGuiCol_Text, colour);
    const std::string lines = wrapped(font, words, theme.px(340));
    ImGui::TextUnformatted(lines.data(), lines.data() + lines.size());
    ImGui::PopStyleColor();
    ImGui::PopFont();
  };
  part(theme.bold, theme.strong, title);
  part(theme.body, theme.text, text);
  part(theme.body, theme.dim, definition);
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
  ImGui::PopStyleColor();
}

void draw_empty(ImDrawList* list, const Theme& theme, ImVec2 min, ImVec2 max,
                std::string_view sentence, std::string_view advice) {
  const float width = std::min(max.x - min.x - theme.px(32), theme.px(520));
  const auto part = [&](ImFont* font, ImU32 colour, std::string_view text, float y) {
    const float wide = text_size(font, wrapped(font, text, width)).x;
    return y + draw_wrapped(list, font, {(min.x + max.x - wide) / 2, y}, colour, text, width);
  };
  if (width <= 0) return;
  const float top = (min.y + max.y) / 2 - theme.px(30);
  const float below = part(theme.title, theme.strong, sentence, top) + theme.px(8);
  if (!advice.empty()) part(theme.body, theme.dim, advice, below);
}

}  // namespace compmond::ui
