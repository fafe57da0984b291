// SPDX-License-Identifier: Apache-2.0
#include "ui/views/timing/timing.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "text/clean.h"
#include "ui/kit/draw.h"
#include "ui/model/inside_link.h"
#include "ui/model/switching.h"
#include "ui/views/shared/empty.h"
#include "ui/views/shared/heat.h"

namespace compmond::ui {
namespace {

// Design pixels.
constexpr float kGutter = 84;  // labels of the time axis
constexpr float kControls = 42, kHeaders = 32;
constexpr float kPanel = 272, kPanelFrom = 900;  // narrower canvases have no panel
constexpr float kMinColumn = 66, kMaxColumn = 200;
constexpr float kBelowNow = 26;  // room to see that now is the end
constexpr uint32_t kLimit = 4000;
constexpr size_t kSlowest = 12;

}  // namespace

void TimingView::ask(const Model&, ImVec2 size, snapshot::ViewRequest& request) const {
  request.executions.emplace();  // of the window
  request.executions->pixels = uint32_t(std::clamp(size.y, 100.0f, 8'000.0f));
  request.executions->limit = kLimit;
}

bool TimingView::animates(const Model& model) const { return model.moves() && model.window.live; }

bool TimingView::key(int glfw_key, Model& model) {
  if (glfw_key != GLFW_KEY_C) return false;
  kCallArrows.flip(model);
  return true;
}

TimingView::Place TimingView::place_of(const Canvas& canvas) const {
  const bool panel = canvas.width() >= canvas.px(kPanelFrom);
  Place place;
  place.panel = panel ? canvas.max.x - canvas.px(kPanel) : canvas.max.x;
  place.left = canvas.min.x + canvas.px(kGutter);
  place.right = place.panel - canvas.px(10);
  place.top = canvas.min.y + canvas.px(kControls + kHeaders);
  place.bottom = canvas.max.y - canvas.px(6);
  return place;
}

void TimingView::choose_columns(const Place& place, const Canvas& canvas, const Model& model) {
  if (model.executions)
    for (const auto& e : model.executions->executions)
      active_.insert(model.executions->operations[e.operation].component);
  if (model.executions)
    for (const auto& f : model.executions->folds)
      active_.insert(model.executions->operations[f.operation].component);
  if (model.executions)
    for (const auto& sampled : model.executions->sampled) active_.insert(sampled.component);
  std::vector<std::string> all, active;
  for (const auto& component : model.snapshot->components) {
    if (component.operations.empty() || !model.settings.shows(component.name)) continue;
    all.push_back(component.name);
    if (active_.contains(component.name)) active.push_back(component.name);
  }
  // Everything where it fits; else those that do something. They stay once they have.
  const float room = place.right - place.left;
  const bool fits = float(all.size()) * canvas.px(kMinColumn) <= room;
  const auto away = [&](const std::string& path) {
    return model.executions && std::ranges::count(model.executions->away, path,
                                                  &snapshot::ExecutionsView::Away::component) > 0;
  };
  unseen_ = 0;
  if (!fits)
    for (const std::string& path : all) unseen_ += !active_.contains(path) && away(path);
  quiet_ = fits ? 0 : all.size() - active.size() - unseen_;
  columns_ = fits ? std::move(all) : std::move(active);
  const auto count = float(std::max<size_t>(1, columns_.size()));
  column_width_ = std::clamp(room / count, canvas.px(kMinColumn), canvas.px(kMaxColumn));
  scroll_ = std::clamp(scroll_, 0.0f, std::max(0.0f, count * column_width_ - room));
}

void TimingView::lay_out(const Place& place, const Canvas& canvas, const Model& model) {
  const Window interval = model.interval();
  const float below = model.window.live ? canvas.px(kBelowNow) : 0;
  axis_ = {interval.start_ns, std::max(interval.end_ns, interval.start_ns + 1), place.top,
           std::max(1.0f, place.bottom - below - place.top)};
  diagrams::TimingInput input{*model.executions, {}, {}, axis_};
  std::map<std::string_view, int> column_of;
  for (size_t c = 0; c < columns_.size(); ++c) {
    column_of[columns_[c]] = int(c);
    const double x = place.left - scroll_ + double(c) * column_width_;
    input.columns.push_back({x + canvas.px(4), x + column_width_ - canvas.px(4)});
  }
  for (const auto& operation : model.executions->operations) {
    const auto found = column_of.find(operation.component);
    input.column_of.push_back(found == column_of.end() ? -1 : found->second);
  }
  input.bar_width = canvas.px(20);
  input.thread = thread_;
  input.arrows = kCallArrows.on(model);
  layout_ = diagrams::lay_out(input);
  if (slowest_of_ == model.generation) return;
  slowest_of_ = model.generation;
  slowest_.clear();
  const auto& all = model.executions->executions;
  for (uint32_t i = 0; i < all.size(); ++i)
    if (input.column_of[all[i].operation] >= 0 && (thread_ < 0 || all[i].tid == thread_) &&
        all[i].end_ns >= axis_.start_ns && all[i].start_ns <= axis_.end_ns)
      slowest_.push_back(i);
  const size_t most = std::min(kSlowest, slowest_.size());
  std::partial_sort(slowest_.begin(), slowest_.begin() + long(most), slowest_.end(),
                    [&](uint32_t a, uint32_t b) {
                      return all[a].end_ns - all[a].start_ns > all[b].end_ns - all[b].start_ns;
                    });
  slowest_.resize(most);
}

void TimingView::draw_headers(const TimingFrame& frame, Model& model) {
  const Canvas& canvas = frame.canvas;
  const Theme& theme = canvas.theme;
  const float top = frame.top - canvas.px(kHeaders), bottom = frame.top;
  draw_ground(canvas.list, {canvas.min.x, top}, {frame.right, bottom}, theme.panel);
  canvas.list->AddLine({canvas.min.x, bottom}, {frame.right, bottom}, theme.line);
  canvas.list->PushClipRect({frame.left - 2, top}, {frame.right, bottom}, true);
  // One font for all: the large one where most names fit.
  const float inner = std::min(column_width_, canvas.px(130)) - canvas.px(14);
  const auto fitting = std::count_if(columns_.begin(), columns_.end(), [&](const auto& path) {
    return text_size(theme.bold, model.name_of(path)).x <= inner;
  });
  ImFont* font = size_t(fitting) * 10 >= columns_.size() * 9 ? theme.bold : theme.small;
  for (size_t c = 0; c < frame.columns.size(); ++c) {
    const float half = std::min(column_width_, canvas.px(130)) / 2 - canvas.px(3);
    const ImVec2 min{frame.column_centre(c) - half, top + canvas.px(4)},
        max{frame.column_centre(c) + half, bottom - canvas.px(5)};
    if (max.x < frame.left || min.x > frame.right) continue;
    const std::string& path = frame.columns[c];
    const std::string name = model.name_of(path);
    const bool selected = model.selection.component == path;
    const snapshot::Component* component = model.component(path);
    const std::string off = component ? off_text(model, *component) : std::string();
    canvas.list->AddRectFilled(min, max, theme.raised, canvas.px(4));
    if (model.settings.hue == Hue::kComponents)
      canvas.list->AddRectFilled({min.x, max.y - canvas.px(3)}, max,
                                 full_hue_of(theme, model, path), canvas.px(1.5f));
    if (selected) canvas.list->AddRect(min, max, theme.blue, canvas.px(4), 0, canvas.px(1.5f));
    // At the ends, what fits into the visible part.
    const float x0 = std::max(min.x, frame.left), x1 = std::min(max.x, frame.right);
    if (x1 - x0 < 2) continue;
    draw_text_centred(canvas.list, font, {(x0 + x1) / 2, (min.y + max.y) / 2},
                      model.found(path) && off.empty() ? theme.strong : theme.dim,
                      ellipsized(font, name, x1 - x0 - canvas.px(8), model.short_names));
    ImGui::SetCursorScreenPos({x0, min.y});
    ImGui::PushID(int(c));
    if (ImGui::InvisibleButton("header", {x1 - x0, max.y - min.y})) {
      model.selection = {};
      if (!selected) model.selection.component = path;
    }
    ImGui::PopID();
    if (!ImGui::IsItemHovered()) continue;
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) show_inside(model, path, "");
    const int lanes = frame.layout.lanes[c];
    tooltip(theme, text::clean(path),
            lanes > 1 ? fmt::format("up to {} threads at the same time", lanes) : std::string(),
            off);
  }
  canvas.list->PopClipRect();
}

void TimingView::draw_scrollbar(const TimingFrame& frame, float content) const {
  const float room = frame.right - frame.left;
  if (content <= room + 1) return;
  const Theme& theme = frame.canvas.theme;
  const float y = frame.bottom, height = frame.canvas.px(4);
  const float x = frame.left + room * scroll_ / content;
  frame.canvas.list->AddRectFilled({frame.left, y}, {frame.right, y + height}, theme.panel, 2);
  frame.canvas.list->AddRectFilled({x, y}, {x + room * room / content, y + height}, theme.faint, 2);
}

void TimingView::draw(const Canvas& canvas, Model& model) {
  if (draw_empty_state(canvas, model)) return;
  const Place place = place_of(canvas);
  draw_controls(canvas, place, model);
  if (!model.executions) {
    draw_empty(canvas.list, canvas.theme, canvas.min, canvas.max, "Waiting for executions.", "");
    return;
  }
  choose_columns(place, canvas, model);
  lay_out(place, canvas, model);
  TimingFrame frame{canvas, model, *model.executions, columns_, layout_, axis_, {}, {}};
  frame.left = place.left, frame.top = place.top;
  frame.right = place.right, frame.bottom = place.bottom;
  frame.column_left = place.left - scroll_;
  frame.column_width = column_width_;
  frame.quiet = quiet_;
  frame.unseen = unseen_;
  draw_headers(frame, model);
  handle_mouse(frame, model);
  draw_timing_axis(frame);
  canvas.list->PushClipRect({frame.left, frame.top}, {frame.right, frame.bottom}, true);
  draw_timing_arrows(frame);
  draw_timing_bars(frame);
  draw_timing_now(frame);
  draw_timing_notes(frame);
  draw_timing_popup(frame, model);
  canvas.list->PopClipRect();
  draw_scrollbar(frame, float(columns_.size()) * column_width_);
  timing_tooltip(frame);
  if (place.panel >= canvas.max.x) return;
  const auto clicked = draw_timing_panel(frame, {place.panel, canvas.min.y}, canvas.max, slowest_);
  if (!clicked) return;
  pause(model);
  model.selection.execution = picked(*model.executions, *clicked);
  model.selection.component = model.selection.execution->component;
  model.selection.operation = model.selection.execution->operation;
}

}  // namespace compmond::ui
