// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "layout/map_scene.h"
#include "ui/kit/canvas.h"
#include "ui/model/model.h"
#include "ui/views/graph/graph_lines.h"

// What the parts of the map draw from, made anew for each frame. Draws only: nothing here changes.
namespace compmond::ui {

// Which lines there may be at a component.
struct LineEnds {
  bool in = false, out = false;
};

// A port of a box: of those on that side, from top to bottom.
struct PortPlace {
  size_t node = 0;
  Interface side = Interface::kIn;
  size_t index = 0;
  bool operator==(const PortPlace&) const = default;
};

struct MapFrame : GraphSight {
  const Model& model;
  const layout::MapGraph& graph;  // its nodes are the snapshot's components, in the same order
  const layout::MapScene& scene;
  const layout::MapStyle& style;
  uint64_t revision;                                // grows with each change of the scene
  const std::vector<const snapshot::Edge*>& calls;  // figures per edge; null: none
  const std::vector<std::string>& doubts;           // per node, see doubt()
  const std::vector<char>& off;        // per node: switched off, and nothing tells its times
  const std::vector<LineEnds>& ends;   // per node
  std::vector<char> shown;             // per node: neither hidden nor left out by isolation
  std::vector<geometry::Rect> frames;  // around what is shown, in layout units
  bool any_declared = false;           // the spec has connections: others are to be doubted
  double seconds = 0;                  // length of the window that the figures are about
  int hovered_node = -1, hovered_edge = -1;
  std::optional<PortPlace> hovered_port = std::nullopt;  // of hovered_node

  const snapshot::Component& component(size_t node) const {
    return model.snapshot->components[node];
  }
};

// How an edge is to be taken. A quiet one was met before and is not in this window, or stands for
// connections of what its ends contain.
enum class EdgeKind { kCalled, kUndeclared, kNeverSeen, kQuiet };
EdgeKind kind_of(const MapFrame& frame, size_t edge);
bool met(const snapshot::Edge& edge);                      // by a call, or by a sample
bool taken_elsewhere(const MapFrame& frame, size_t edge);  // met in another window, not in this one
double rate_of(const MapFrame& frame, size_t edge);        // calls per second
// How much wider its line is than one without calls, in design pixels: by calls per second or,
// where none are known, by ms of raw time per second.
double weight_of(const MapFrame& frame, size_t edge);
ImU32 quiet_line(const Theme& theme);                      // pale
std::string label_of(const MapFrame& frame, size_t edge);  // what of these is known

// Why the figures of a component are not to be trusted fully; empty: they are.
std::string doubt(const snapshot::Component& component, const snapshot::Snapshot& snapshot);
bool is_refused(const snapshot::Operation& operation);

// From which zoom on boxes say which part of their time was on a CPU, and how strong the parts are.
inline constexpr float kCpuShareZoom = 0.5f, kOnCpuInk = 0.9f, kWaitingInk = 0.22f;

inline constexpr float kDimmed = 0.35f;  // what a search does not find

// Where the names of frames stand, on the screen, as long as there is room.
struct FrameName {
  size_t node;
  std::string text;
  geometry::Rect at;
};
std::vector<FrameName> frame_names(const MapFrame& frame);
void draw_map_frames(const MapFrame& frame);
void draw_frame_heads(const MapFrame& frame);  // their names and figures
void draw_map_boxes(const MapFrame& frame);
// A mark with their number on each component that missed its objective.
void draw_map_violations(const MapFrame& frame);
// Names above the hottest boxes where the boxes are too small to hold them.
void draw_map_callouts(const MapFrame& frame);
void box_tooltip(const MapFrame& frame, size_t node);
void edge_tooltip(const MapFrame& frame, size_t edge);
std::string samples_taken(const MapFrame& frame);  // in the window: "4,512 samples"

// Lines between boxes. Keeps where their labels stand and how far their calls have flowed.
class MapLines {
 public:
  void draw(const MapFrame& frame);
  // Over the boxes.
  void draw_labels(const MapFrame& frame) const { labels_.draw(frame); }
  bool flows() const { return flows_; }  // something moved in the last frame

 private:
  void place_labels(const MapFrame& frame, const std::vector<size_t>& drawn);
  void draw_flow(const MapFrame& frame, size_t edge, float thickness);

  std::map<std::pair<int, int>, double> phase_;  // pixels, per edge
  double clock_s_ = 0, step_s_ = 0;
  bool flows_ = false;
  LineLabels labels_;
};

// Caption, warnings, legend and buttons, drawn over the map. The action that a button asks for.
struct MapWish {
  bool fit = false, arrange = false, show_all = false;
};
MapWish draw_map_overlay(const MapFrame& frame, size_t unplanned_edges);
// Pixels of the canvas that the overlay keeps for itself, at the top and at the bottom: as many
// whatever there is to say, so that nothing moves when a warning comes or goes.
inline constexpr float kMapTop = 76, kMapBottom = 62;

}  // namespace compmond::ui
