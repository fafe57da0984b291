// SPDX-License-Identifier: Apache-2.0
#define GLFW_INCLUDE_NONE
#include "ui/frame/app.h"

#include <GLFW/glfw3.h>

#include <algorithm>

#include "ui/frame/menus.h"
#include "ui/kit/chip.h"
#include "ui/kit/draw.h"
#include "ui/views/shared/empty.h"

namespace compmond::ui {
namespace {

struct Area {
  ImVec2 min, max;
};

// Runs draw(canvas) in an ImGui child of its own.
template <class Draw>
void part(const char* id, const Theme& theme, const Area& area, Draw draw) {
  if (area.max.x <= area.min.x || area.max.y <= area.min.y) return;
  ImGui::SetCursorScreenPos(area.min);
  ImGui::BeginChild(id, {area.max.x - area.min.x, area.max.y - area.min.y}, false,
                    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  draw(Canvas{ImGui::GetWindowDrawList(), area.min, area.max, theme});
  ImGui::EndChild();
}

}  // namespace

struct App::Areas {
  Area top, filter, view, details, time, status;
};

App::App(Model& model, Theme& theme, ViewKinds kinds)
    : model_(model), theme_(theme), kinds_(kinds) {
  for (const ViewKind& kind : kinds_) views_.push_back(kind.make());
}

bool App::details_shown(float width) const {
  // On a narrow screen the panel is there only for what is selected.
  return view().has_details() && kDetails.on(model_) &&
         (width >= theme_.px(1000) || !model_.selection.component.empty());
}

App::Areas App::areas(ImVec2 size) const {
  Areas out;
  const float bar = theme_.px(44), status = size.y - theme_.px(32);
  const float top = bar + filter_bar_.wanted_height(model_, theme_);
  const float time =
      view().has_time_scale() ? time_scale_.wanted_height(model_, theme_, size.y) : 0;
  const float below = status - time;
  const float details =
      details_shown(size.x) ? std::clamp(size.x * 0.3f, theme_.px(250), theme_.px(400)) : 0;
  out.top = {{0, 0}, {size.x, bar}};
  out.filter = {{0, bar}, {size.x, top}};
  out.view = {{0, top}, {size.x - details, below}};
  out.details = {{size.x - details, top}, {size.x, below}};
  out.time = {{0, below}, {size.x, status}};
  out.status = {{0, status}, size};
  return out;
}

void App::retheme() {
  if (theme_.dark == model_.settings.dark) return;
  Theme fresh = make_theme(model_.settings.dark, theme_.scale);
  fresh.body = theme_.body, fresh.bold = theme_.bold, fresh.title = theme_.title;
  fresh.small = theme_.small, fresh.mono = theme_.mono, fresh.mono_small = theme_.mono_small;
  theme_ = fresh;
  apply_style(theme_);
}

void App::frame(ImVec2 size) {
  retheme();
  if (const auto wished = std::exchange(model_.wishes.view, {})) show_view(*wished);
  size_ = size;
  ImGuiIO& io = ImGui::GetIO();
  if (model_.wishes.list == kNoList) close_lists();
  // Keys move in a list while one is open, and Enter chooses, as by itself space does; else they
  // are the app's.
  io.ConfigFlags = list_is_open() ? io.ConfigFlags | ImGuiConfigFlags_NavEnableKeyboard
                                  : io.ConfigFlags & ~ImGuiConfigFlags_NavEnableKeyboard;
  io.KeyMap[ImGuiKey_Space] = list_is_open() ? GLFW_KEY_ENTER : GLFW_KEY_SPACE;
  if (mouse_at_key_ && (mouse_at_key_->x != io.MousePos.x || mouse_at_key_->y != io.MousePos.y))
    mouse_at_key_.reset();
  show_tooltips(!mouse_at_key_);
  moving_ = ease(model_, std::min(0.1, model_.clock_s - last_s_));
  last_s_ = model_.clock_s;
  const Areas at = areas(size);
  view_size_ = {at.view.max.x - at.view.min.x, at.view.max.y - at.view.min.y};

  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::Begin("compmond", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                   ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBackground);
  ImGui::PopStyleVar(2);
  ImDrawList* below = ImGui::GetWindowDrawList();
  draw_ground(below, {0, 0}, size, theme_.background);
  for (const auto& [min, max] : {at.top, at.details, at.time})
    draw_ground(below, min, max, theme_.panel);
  part("view", theme_, at.view, [&](const Canvas& canvas) {
    ImGui::PushID(kind().label());
    if (lacks_calls())
      draw_no_single_calls(canvas, model_, kind().label());
    else
      views_[current_]->draw(canvas, model_);
    ImGui::PopID();
  });
  part("details", theme_, at.details, [&](const Canvas& canvas) { draw_details(canvas, model_); });
  part("time", theme_, at.time, [&](const Canvas& canvas) { time_scale_.draw(canvas, model_); });
  part("filter", theme_, at.filter,
       [&](const Canvas& canvas) { filter_bar_.draw(canvas, model_); });
  part("status", theme_, at.status, [&](const Canvas& canvas) { draw_status_bar(canvas, model_); });
  part("top", theme_, at.top,
       [&](const Canvas& canvas) { draw_top_bar(canvas, model_, kinds_, current_); });
  ImGui::End();

  const Canvas whole{ImGui::GetForegroundDrawList(), {0, 0}, size, theme_};
  const Canvas over_view{ImGui::GetForegroundDrawList(), at.view.min, at.view.max, theme_};
  if (model_.search.open) draw_search(over_view, model_);
  if (keys_open_) {
    // A layer of its own, so that the click that closes it does nothing below.
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(size);
    ImGui::SetNextWindowFocus();
    ImGui::Begin("keys", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground |
                     ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
    draw_keys(whole, keys_open_);
    ImGui::End();
  }
  toast_shown_ = draw_toast(over_view, model_);
  model_.wishes.list.clear();
}

snapshot::ViewRequest App::request() const {
  snapshot::ViewRequest out;
  if (model_.window.live) {
    out.window.last_s = double(model_.live_length_ns()) / 1e9;
  } else {
    out.window.start_ns = model_.window.start_ns;
    out.window.end_ns = model_.window.end_ns;
  }
  out.metric = model_.settings.metric;
  out.heat = model_.settings.heat;
  out.filter = model_.settings.filter;
  if (view().has_time_scale()) time_scale_.ask(model_, theme_, size_.x, out);
  if (!model_.selection.component.empty() && details_shown(size_.x))
    out.details = model_.selection.component;
  if (!lacks_calls()) view().ask(model_, view_size_, out);
  return out;
}

bool App::animates() const {
  return moving_ || toast_shown_ || (!lacks_calls() && view().animates(model_));
}

bool App::lacks_calls() const {
  return kind().needs_calls && model_.snapshot && knows_no_calls(*model_.snapshot);
}

void App::show(size_t view) {
  if (view != current_) before_ = current_;
  current_ = view;
  model_.settings.view = kinds_[view].id;
}

void App::show_view(ViewId id) {
  const auto kind = std::ranges::find(kinds_, id, &ViewKind::id);
  if (kind != kinds_.end()) show(size_t(kind - kinds_.begin()));
}

bool App::show_view(std::string_view label) {
  const auto id = view_named(label);
  if (id) show_view(*id);
  return id.has_value();
}

}  // namespace compmond::ui
