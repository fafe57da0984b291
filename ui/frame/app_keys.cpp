// SPDX-License-Identifier: Apache-2.0
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>

#include "ui/frame/app.h"
#include "ui/frame/menus.h"
#include "ui/frame/transport.h"
#include "ui/kit/chip.h"
#include "ui/model/switching.h"
#include "ui/model/trace_links.h"

namespace compmond::ui {
namespace {

// Whether keys go to a text field. What ImGui wants is known late: a field that was closed since
// has no active item any more.
bool typing() { return ImGui::GetIO().WantTextInput && ImGui::IsAnyItemActive(); }

// Letters mean the same with and without Shift.
unsigned lowered(unsigned code_point) {
  return code_point >= 'A' && code_point <= 'Z' ? code_point - 'A' + 'a' : code_point;
}

// Whether it moved or scaled the window of time.
bool window_character(unsigned lower, Model& model) {
  switch (lower) {
    case ' ':
      model.window.live ? pause(model) : go_live(model);
      return true;
    case 'l':
      go_live(model);
      return true;
    case '+':
    case '=':
      scale_window(model, 1.25);
      return true;
    case '-':
      scale_window(model, 0.8);
      return true;
    default:
      return false;
  }
}

}  // namespace

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

// What moves in a list and chooses from it ImGui does, from the same keys; Esc is chip.cpp's.
bool App::list_key(int glfw_key) {
  if (!list_is_open()) return false;
  for (const int own : {GLFW_KEY_ESCAPE, GLFW_KEY_UP, GLFW_KEY_DOWN, GLFW_KEY_LEFT, GLFW_KEY_RIGHT,
                        GLFW_KEY_ENTER, GLFW_KEY_KP_ENTER, GLFW_KEY_PAGE_UP, GLFW_KEY_PAGE_DOWN,
                        GLFW_KEY_HOME, GLFW_KEY_END, GLFW_KEY_TAB})
    if (glfw_key == own) return true;
  return false;
}

void App::hold_tooltips() { mouse_at_key_ = ImGui::GetIO().MousePos; }

void App::key(int glfw_key, bool control, bool shift) {
  hold_tooltips();
  if (search_key(glfw_key) || typing() || list_key(glfw_key)) return;
  if (transport_key(glfw_key, model_)) return;
  const double share = shift ? 1.0 : 0.2;  // of the window's length
  switch (glfw_key) {
    case GLFW_KEY_ESCAPE:
      back();
      return;
    case GLFW_KEY_LEFT:
      return shift_window(model_, -share);
    case GLFW_KEY_RIGHT:
      return shift_window(model_, share);
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
  hold_tooltips();
  if (list_is_open() && !typing()) {
    model_.wishes.list = kNoList;  // whatever else is meant, it is not the list
    if (lowered(code_point) == 'w' || lowered(code_point) == 'u') return;
  }
  Search& search = model_.search;
  if (search.open && !search.has_keys && code_point < 0x80)
    search.typed_early.push_back(char(code_point));
  if (search.open || typing() || transport_character(code_point, model_)) return;
  const unsigned lower = lowered(code_point);
  const auto asked =
      std::ranges::find_if(kinds_, [&](const auto& each) { return unsigned(each.key) == lower; });
  if (asked != kinds_.end()) return show(size_t(asked - kinds_.begin()));
  if (window_character(lower, model_)) return;
  switch (lower) {
    case '/':
      model_.search.open = true;
      break;
    case 'r':
      show_traces_of(model_, model_.selection.component, model_.selection.operation);
      break;
    case 'j':
      switch_selected(model_);
      break;
    case 'k':
      pause_or_resume_probes(model_);
      break;
    case 's':
      model_.wishes.snapshot = true;
      break;
    case 'p':
      model_.wishes.picture = true;
      break;
    case 'h':
      show_view(kind().id == ViewId::kHealth ? kinds_[before_].id : ViewId::kHealth);
      break;
    case 'i':
      model_.filter_open = !model_.filter_open;
      break;
    case 'x':
      model_.settings.filter = {};
      model_.filter_open = false;
      break;
    case 't':
      model_.settings.dark = !model_.settings.dark;
      break;
    case 'w':
      model_.wishes.list = kMetricList;
      break;
    case 'u':
      model_.wishes.list = kHueList;
      break;
    case 'd':
      kDetails.flip(model_);
      break;
    case '?':
      keys_open_ = !keys_open_;
      break;
    default:
      break;
  }
}

}  // namespace compmond::ui
