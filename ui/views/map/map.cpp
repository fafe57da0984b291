// SPDX-License-Identifier: Apache-2.0
#include "ui/views/map/map.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <algorithm>

#include "ui/kit/draw.h"
#include "ui/model/switching.h"
#include "ui/views/shared/empty.h"

namespace compmond::ui {
namespace {

constexpr double kSayArrangingAfter = 0.4;                      // s; shorter waits need no words
constexpr double kBesideNameInBox = 26, kWidestBox = 280;       // layout units, of boxes
constexpr double kBesideSmallName = 9, kWidestSmallName = 150;  // design pixels, where all is small

std::map<int, geometry::Pt> moved_boxes(const layout::MapGraph& graph, const Settings& settings) {
  std::map<int, geometry::Pt> moved;
  if (settings.boxes.empty()) return moved;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const auto at = settings.boxes.find(graph.nodes[n].name);
    if (at != settings.boxes.end()) moved[int(n)] = {at->second.x, at->second.y};
  }
  return moved;
}

geometry::Rect around(const std::vector<std::vector<geometry::Pt>>& lines) {
  geometry::Rect out;
  for (const auto& line : lines)
    for (const geometry::Pt& point : line)
      out = out.joined({point.x - 1, point.y - 1, point.x + 1, point.y + 1});
  return out;
}

}  // namespace

bool MapView::animates(const Model& model) const {
  return arranger_.busy() || view_.gliding() ||
         (lines_.flows() && model.moves() && model.window.live);
}

bool MapView::key(int glfw_key, Model&) {
  if (glfw_key == GLFW_KEY_F) view_.fit();
  if (glfw_key == GLFW_KEY_A) arrange_ = true;
  return glfw_key == GLFW_KEY_F || glfw_key == GLFW_KEY_A;
}

// What the newest snapshot says besides figures that move.
void MapView::take_snapshot(const Model& model) {
  if (model.generation == generation_ && seen_ == &*model.snapshot) return;
  generation_ = model.generation;
  seen_ = &*model.snapshot;
  now_ = layout::grown(now_, layout::map_graph(*model.snapshot));
  doubts_.clear();
  off_.clear();
  ends_.assign(now_.nodes.size(), {});
  for (size_t n = 0; n < now_.nodes.size(); ++n) {
    const auto& component = model.snapshot->components[n];
    doubts_.push_back(doubt(component, *model.snapshot));
    // What samples tell of one that is off is shown as of others.
    off_.push_back(is_off(*model.snapshot, component) && !times_estimated(component.figures));
  }
  for (const layout::MapEdge& edge : now_.edges) {
    ends_[size_t(edge.from)].out = true;
    ends_[size_t(edge.to)].in = true;
  }
  find_calls(model);
}

void MapView::find_calls(const Model& model) {
  calls_.assign(graph_.edges.size(), nullptr);
  if (graph_.nodes != now_.nodes) return;
  std::map<std::string_view, int> index;
  for (size_t n = 0; n < graph_.nodes.size(); ++n) index[graph_.nodes[n].name] = int(n);
  std::map<std::pair<int, int>, size_t> places;
  for (size_t e = 0; e < graph_.edges.size(); ++e)
    places[{graph_.edges[e].from, graph_.edges[e].to}] = e;
  for (const auto& edge : model.snapshot->edges) {
    const auto from = edge.from ? index.find(*edge.from) : index.end(), to = index.find(edge.to);
    if (from == index.end() || to == index.end()) continue;
    const auto place = places.find({from->second, to->second});
    if (place == places.end()) continue;
    // A pair may stand there twice, as connection and as calls: the calls count.
    const snapshot::Edge*& slot = calls_[place->second];
    if (!slot || (met(edge) && (!met(*slot) || slot->count < edge.count))) slot = &edge;
  }
}

// Asks for a scene where the newest snapshot shows something new, and takes what is ready.
void MapView::update_scene(const Canvas& canvas, Model& model) {
  if (arrange_) {
    arrange_ = false;
    model.settings.boxes.clear();
    view_.fit();
    want(canvas, model, true);
  } else if (now_ != asked_) {
    want(canvas, model, layout::placement_key(now_) != layout::placement_key(asked_));
  }
  auto done = arranger_.take();
  if (!done) return;
  graph_ = std::move(done->graph);
  const bool arranged = plan_ != done->plan;
  plan_ = std::move(done->plan);
  scene_ = std::move(done->scene);
  style_ = done->style;
  if (arranged) lines_around_ = around(scene_.lines);
  ++revision_;
  drag_.reset();
  find_calls(model);
}

void MapView::want(const Canvas& canvas, const Model& model, bool anew) {
  const bool same_nodes = graph_.nodes == now_.nodes;
  asked_ = now_;
  asked_s_ = model.clock_s;
  if (anew) {
    // As wide as the longest name asks for, within bounds: there is room.
    const auto longest = [&](ImFont* font) {
      double name = 0;
      for (const std::string& one : model.short_names)
        name = std::max(name, double(text_size(font, one).x) / canvas.theme.scale);
      return name;
    };
    style_.box_width = std::clamp(longest(canvas.theme.bold) + kBesideNameInBox,
                                  layout::MapStyle().box_width, kWidestBox);
    name_width_ = std::min(longest(canvas.theme.small) + kBesideSmallName, kWidestSmallName);
    style_.area_width = canvas.width() / canvas.theme.scale;
    style_.area_height = canvas.height() / canvas.theme.scale - kMapTop - kMapBottom;
  }
  arranger_.want({now_, style_, anew || !same_nodes ? nullptr : plan_,
                  moved_boxes(now_, model.settings), name_width_});
}

MapFrame MapView::frame_of(const Canvas& canvas, const Model& model) const {
  MapFrame frame{{canvas, view_.camera()},
                 model,
                 graph_,
                 scene_,
                 style_,
                 revision_,
                 calls_,
                 doubts_,
                 off_,
                 ends_,
                 {},
                 {}};
  frame.shown.resize(graph_.nodes.size());
  for (size_t n = 0; n < graph_.nodes.size(); ++n)
    frame.shown[n] = model.settings.shows(graph_.nodes[n].name);
  const bool all = std::all_of(frame.shown.begin(), frame.shown.end(), [](char s) { return s; });
  frame.frames =
      all ? scene_.frames : layout::frames_around(graph_, scene_.boxes, style_, frame.shown);
  frame.any_declared = std::any_of(graph_.edges.begin(), graph_.edges.end(),
                                   [](const auto& edge) { return edge.declared; });
  frame.seconds = double(model.figures_interval().length()) / 1e9;
  frame.hovered_node = hovered_node_;
  frame.hovered_edge = hovered_edge_;
  frame.hovered_port = hovered_port_;
  return frame;
}

void MapView::move_camera(const Canvas& canvas, MapFrame& frame, const Model& model) {
  geometry::Rect all;
  for (size_t n = 0; n < frame.shown.size(); ++n) {
    if (frame.shown[n]) all = all.joined(scene_.boxes[n]);
    all = all.joined(frame.frames[n]);
  }
  // And the lines of that arrangement: they run beside the legend, not below it.
  if (std::ranges::all_of(frame.shown, [](char shown) { return shown; }))
    all = all.joined(lines_around_);
  const geometry::Rect area{canvas.px(24), canvas.px(kMapTop), canvas.width() - canvas.px(24),
                            canvas.height() - canvas.px(kMapBottom)};
  view_.step(all, area, canvas.theme.scale, model.clock_s);
  frame.camera = view_.camera();
}

size_t MapView::unplanned_edges() const {
  return size_t(std::count_if(graph_.edges.begin(), graph_.edges.end(), [&](const auto& edge) {
    return plan_ && !plan_->boxes[size_t(edge.from)].empty() &&
           !plan_->boxes[size_t(edge.to)].empty() && !plan_->routes.contains({edge.from, edge.to});
  }));
}

void MapView::obey(const MapWish& wish, const Canvas&, Model& model) {
  if (wish.fit) view_.fit();
  arrange_ |= wish.arrange;
  if (!wish.show_all) return;
  model.settings.hidden.clear();
  model.settings.isolated.clear();
  view_.fit();
}

void MapView::draw(const Canvas& canvas, Model& model) {
  if (draw_empty_state(canvas, model)) return;
  take_snapshot(model);
  update_scene(canvas, model);
  if (scene_.boxes.size() != now_.nodes.size() || graph_.nodes != now_.nodes) {
    if (model.clock_s - asked_s_ > kSayArrangingAfter)
      draw_empty(canvas.list, canvas.theme, canvas.min, canvas.max,
                 fmt::format("Arranging {} components.", now_.nodes.size()), "");
    return;
  }
  MapFrame frame = frame_of(canvas, model);
  move_camera(canvas, frame, model);
  canvas.list->ChannelsSplit(2);
  canvas.list->ChannelsSetCurrent(1);
  const MapWish wish = draw_map_overlay(frame, unplanned_edges());
  canvas.list->ChannelsSetCurrent(0);
  handle_mouse(frame, model);
  draw_map_frames(frame);
  lines_.draw(frame);
  draw_frame_heads(frame);
  draw_map_boxes(frame);
  lines_.draw_labels(frame);
  draw_map_violations(frame);
  draw_map_callouts(frame);
  canvas.list->ChannelsMerge();
  obey(wish, canvas, model);
}

}  // namespace compmond::ui
