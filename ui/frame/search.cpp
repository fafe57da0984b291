// SPDX-License-Identifier: Apache-2.0
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "text/clean.h"
#include "ui/frame/frame.h"
#include "ui/kit/draw.h"

namespace compmond::ui {
namespace {

constexpr size_t kHits = 12;  // a longer list is not read; another letter is quicker

struct Hit {
  const std::string* component;
  const std::string* operation;  // null: the component itself
};

std::vector<Hit> hits(const Model& model) {
  std::vector<Hit> out;
  if (!model.snapshot || model.search.text.empty()) return out;
  for (const auto& component : model.snapshot->components)
    if (model.found(component.name) && out.size() < kHits)
      out.push_back({&component.name, nullptr});
  for (const auto& component : model.snapshot->components)
    for (const auto& operation : component.operations)
      if ((model.found(operation.name) || model.found(operation.symbol)) && out.size() < kHits)
        out.push_back({&component.name, &operation.name});
  return out;
}

// A field that gets the keys marks all of its text, and the next letter would replace what was
// typed early.
int go_on_at_end(ImGuiInputTextCallbackData* data) {
  data->ClearSelection();
  data->CursorPos = data->BufTextLen;
  return 0;
}

void choose(Model& model, const Hit& hit) {
  model.selection = {*hit.component, hit.operation ? *hit.operation : "", {}};
  model.settings.hidden.erase(*hit.component);
  close_search(model);
}

}  // namespace

void close_search(Model& model) {
  model.search = {};
  ImGui::SetWindowFocus(nullptr);
}

void draw_search(const Canvas& canvas, Model& model) {
  const Theme& theme = canvas.theme;
  const float width = std::min(canvas.px(340), canvas.width() - canvas.px(24));
  ImGui::SetNextWindowPos({canvas.max.x - width - canvas.px(12), canvas.min.y + canvas.px(10)});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, theme.raised);
  ImGui::PushStyleColor(ImGuiCol_FrameBg, theme.background);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::Begin("search", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize);
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-1);
  Search& search = model.search;
  const bool had_keys = search.has_keys;
  if (!had_keys) {
    search.text += std::exchange(search.typed_early, {});
    ImGui::GetIO().ClearInputCharacters();
  }
  ImGui::InputTextWithHint("##text", "component or operation", &search.text,
                           had_keys ? 0 : ImGuiInputTextFlags_CallbackAlways, go_on_at_end);
  search.has_keys = ImGui::IsItemActive();
  const std::vector<Hit> found = hits(model);
  search.hit = found.empty() ? 0 : std::min(search.hit, found.size() - 1);
  std::optional<Hit> chosen;
  if (std::exchange(search.accept, false) && !found.empty()) chosen = found[search.hit];
  for (size_t i = 0; i < found.size(); ++i) {
    ImGui::PushID(int(i));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;
    if (ImGui::Selectable("##hit", i == search.hit)) chosen = found[i];
    ImDrawList* list = ImGui::GetWindowDrawList();
    const std::string component = model.name_of(*found[i].component);
    if (found[i].operation) {
      const float tail = std::min(room * 0.4f, text_size(theme.small, component).x);
      draw_text(list, theme.mono_small, {at.x, at.y + canvas.px(1)}, theme.text,
                text::clean(*found[i].operation), room - tail - canvas.px(10));
      draw_text(list, theme.small, {at.x + room - tail, at.y + canvas.px(1)}, theme.dim, component,
                tail);
    } else {
      draw_text(list, theme.bold, at, theme.strong, component, room);
    }
    ImGui::PopID();
  }
  if (found.empty() && !model.search.text.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, theme.dim);
    ImGui::TextUnformatted("Nothing is called that.");
    ImGui::PopStyleColor();
  }
  ImGui::End();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(2);
  if (chosen) choose(model, *chosen);
}

}  // namespace compmond::ui
