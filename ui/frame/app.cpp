// SPDX-License-Identifier: Apache-2.0
#include "ui/frame/app.h"

#include <algorithm>
#include <cctype>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "ui/frame/transport.h"
#include "ui/kit/draw.h"
#include "ui/model/trace_links.h"

namespace compmond::ui {
namespace {

bool same_name(std::string_view one, std::string_view other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](char a, char b) {
    return std::tolower(uint8_t(a)) == std::tolower(uint8_t(b));
  });
}

struct Area {
  ImVec2 min, max;
};

// Runs draw(canvas) in a child window of its own.
template <class Draw>
void part(const char* id, const Theme& theme, const Area& area, Draw draw) {
  if (area.max.x <= area.min.x || area.max.y <= area.min.y) return;
  ImGui::SetCursorScreenPos(area.min);
  ImGui::BeginChild(id, {area.max.x - area.min.x, area.max.y - area.min.y}, false,
                    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  draw(Canvas{ImGui::GetWindowDrawList(), area.min, area.max, theme});
  ImGui::EndChild();
}

// Whether keys go to a text field. What ImGui wants is known late: a field that was closed since
// has no active item any more.
bool typing() { return ImGui::GetIO().WantTextInput && ImGui::IsAnyItemActive(); }

}  // namespace

struct App::Areas {
  Area top, filter, view, details, time, status;
};

App::App(Model& model, Theme& theme, Views views)
    : model_(model), theme_(theme), views_(std::move(views)) {}

bool App::details_shown(float width) const {
  // In a narrow window the panel is there only for what is selected.
  return view().has_details() && model_.settings.option("frame/details", 1) != 0 &&
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
  if (!model_.wishes.view.empty()) show_view(std::exchange(model_.wishes.view, {}));
  size_ = size;
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
    ImGui::PushID(view().name());
    views_[current_]->draw(canvas, model_);
    ImGui::PopID();
  });
  part("details", theme_, at.details, [&](const Canvas& canvas) { draw_details(canvas, model_); });
  part("time", theme_, at.time, [&](const Canvas& canvas) { time_scale_.draw(canvas, model_); });
  part("filter", theme_, at.filter,
       [&](const Canvas& canvas) { filter_bar_.draw(canvas, model_); });
  part("status", theme_, at.status, [&](const Canvas& canvas) { draw_status_bar(canvas, model_); });
  part("top", theme_, at.top,
       [&](const Canvas& canvas) { draw_top_bar(canvas, model_, views_, current_); });
  ImGui::End();

  const Canvas whole{ImGui::GetForegroundDrawList(), {0, 0}, size, theme_};
  const Canvas over_view{ImGui::GetForegroundDrawList(), at.view.min, at.view.max, theme_};
  if (model_.search.open) draw_search(over_view, model_);
  if (keys_open_) {
    // A window of its own, so that the click that closes it does nothing below.
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
}

snapshot::ViewRequest App::request() const {
  snapshot::ViewRequest out;
  if (model_.window.live) {
    out.window.last_s = double(model_.window.length_ns) / 1e9;
  } else {
    out.window.start_ns = model_.window.start_ns;
    out.window.end_ns = model_.window.end_ns;
  }
  out.metric = model_.settings.metric;
  out.filter = model_.settings.filter;
  if (view().has_time_scale()) time_scale_.ask(model_, theme_, size_.x, out);
  if (!model_.selection.component.empty() && details_shown(size_.x))
    out.details = model_.selection.component;
  view().ask(model_, view_size_.x, view_size_.y, out);
  return out;
}

bool App::animates() const { return moving_ || toast_shown_ || view().animates(model_); }

bool App::show_view(std::string_view name) {
  for (size_t i = 0; i < views_.size(); ++i) {
    if (!same_name(views_[i]->name(), name)) continue;
    if (i != current_) before_ = current_;
    current_ = i;
    model_.settings.view = views_[i]->name();
    return true;
  }
  return false;
}

bool App::back() {
  if (keys_open_) {
    keys_open_ = false;
  } else if (model_.search.open || !model_.search.text.empty()) {
    close_search(model_);
  } else if (views_[current_]->key(GLFW_KEY_ESCAPE, model_)) {
    return true;
  } else if (model_.selection.execution) {
    model_.selection.execution.reset();
  } else if (!model_.selection.operation.empty()) {
    model_.selection.operation.clear();
  } else if (!model_.selection.component.empty()) {
    model_.selection = {};
  } else if (!model_.settings.isolated.empty()) {
    model_.settings.isolated.clear();
  } else if (model_.filter_open) {
    model_.filter_open = false;
  } else {
    return false;
  }
  return true;
}

void App::select_next(int step) {
  if (!model_.snapshot) return;
  std::vector<const std::string*> shown;
  for (const auto& component : model_.snapshot->components)
    if (model_.settings.shows(component.name)) shown.push_back(&component.name);
  if (shown.empty()) return;
  const auto found = std::find_if(shown.begin(), shown.end(),
                                  [&](auto* name) { return *name == model_.selection.component; });
  const auto count = ptrdiff_t(shown.size());
  ptrdiff_t next = step > 0 ? 0 : count - 1;
  if (found != shown.end()) next = (found - shown.begin() + step + count) % count;
  model_.selection = {*shown[size_t(next)], "", {}};
}

bool App::search_key(int glfw_key) {
  Search& search = model_.search;
  if (!search.open) return false;
  if (glfw_key == GLFW_KEY_ESCAPE) {
    close_search(model_);
  } else if (glfw_key == GLFW_KEY_ENTER || glfw_key == GLFW_KEY_KP_ENTER) {
    search.accept = true;
  } else if (glfw_key == GLFW_KEY_DOWN) {
    ++search.hit;
  } else if (glfw_key == GLFW_KEY_UP) {
    search.hit -= search.hit > 0;
  }
  return true;
}

void App::key(int glfw_key, bool control, bool shift) {
  if (search_key(glfw_key) || typing()) return;
  if (transport_key(glfw_key, model_)) return;
  const double share = shift ? 1.0 : 0.2;  // of the window's length
  const auto length = double(model_.interval().length());
  switch (glfw_key) {
    case GLFW_KEY_ESCAPE:
      back();
      return;
    case GLFW_KEY_LEFT:
      return shift_window(model_, -length * share);
    case GLFW_KEY_RIGHT:
      return shift_window(model_, length * share);
    case GLFW_KEY_UP:
    case GLFW_KEY_DOWN:
      if (!views_[current_]->key(glfw_key, model_)) select_next(glfw_key == GLFW_KEY_UP ? -1 : 1);
      return;
    case GLFW_KEY_BACKSPACE:
      model_.settings.hidden.clear();
      model_.settings.isolated.clear();
      return;
    case GLFW_KEY_F1:
      keys_open_ = !keys_open_;
      return;
    case GLFW_KEY_F:
      if (control) {
        model_.search.open = true;
        return;
      }
      break;
    case GLFW_KEY_Q:
      if (control) {
        model_.wishes.quit = true;
        return;
      }
      break;
    default:
      break;
  }
  if (!control) views_[current_]->key(glfw_key, model_);
}

void App::character(unsigned code_point) {
  Search& search = model_.search;
  if (search.open && !search.has_keys && code_point < 0x80)
    search.typed_early.push_back(char(code_point));
  if (search.open || typing() || transport_character(code_point, model_)) return;
  if (code_point >= '0' && code_point <= '9') {
    const size_t tab = code_point == '0' ? 9 : code_point - '1';
    if (tab < views_.size()) show_view(views_[tab]->name());
    return;
  }
  switch (code_point) {
    case ' ':
      model_.window.live ? pause(model_) : go_live(model_);
      break;
    case 'l':
    case 'L':
      go_live(model_);
      break;
    case '+':
    case '=':
      scale_window(model_, 1.25);
      break;
    case '-':
      scale_window(model_, 0.8);
      break;
    case '/':
      model_.search.open = true;
      break;
    case 'r':
    case 'R':
      show_traces_of(model_, model_.selection.component, model_.selection.operation);
      break;
    case 's':
    case 'S':
      model_.wishes.snapshot = true;
      break;
    case 'p':
    case 'P':
      model_.wishes.picture = true;
      break;
    case 'h':
    case 'H':
      show_view(same_name(view().name(), "Health") ? views_[before_]->name() : "Health");
      break;
    case 'i':
    case 'I':
      model_.filter_open = !model_.filter_open;
      break;
    case 'x':
    case 'X':
      model_.settings.filter = {};
      model_.filter_open = false;
      break;
    case 't':
    case 'T':
      model_.settings.dark = !model_.settings.dark;
      break;
    case 'd':
    case 'D':
      model_.settings.options["frame/details"] = model_.settings.option("frame/details", 1) == 0;
      break;
    case '?':
      keys_open_ = !keys_open_;
      break;
    default:
      break;
  }
}

}  // namespace compmond::ui
