// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "layout/map_scene.h"
#include "ui/kit/pan_zoom.h"
#include "ui/views/graph/map_arranger.h"
#include "ui/views/map/map_frame.h"
#include "ui/views/shared/view.h"

namespace compmond::ui {

// The execution behaviour diagram: components as boxes that glow with their hotness, calls as
// lines. Boxes stay where they are while figures change; they move when somebody drags them, on
// request (A) and when the spec changes.
class MapView : public View {
 public:
  void draw(const Canvas& canvas, Model& model) override;
  bool animates(const Model& model) const override;
  bool key(int glfw_key, Model& model) override;

 private:
  // What happens with the mouse between press and release.
  struct Drag {
    int node = -1;  // -1: the background
    geometry::Pt from, corner;
    bool moved = false;
  };

  void take_snapshot(const Model& model);
  void update_scene(const Canvas& canvas, Model& model);
  void find_calls(const Model& model);
  void want(const Canvas& canvas, const Model& model, bool anew);
  MapFrame frame_of(const Canvas& canvas, const Model& model) const;
  void move_camera(const Canvas& canvas, MapFrame& frame, const Model& model);
  void handle_mouse(MapFrame& frame, Model& model);
  void press(const MapFrame& frame, geometry::Pt mouse);
  void drag(const MapFrame& frame, geometry::Pt mouse);
  void release(const MapFrame& frame, Model& model);
  void obey(const MapWish& wish, const Canvas& canvas, Model& model);
  void isolate(const MapFrame& frame, size_t node, Model& model);
  size_t unplanned_edges() const;

  MapArranger arranger_;
  layout::MapStyle style_;
  double name_width_ = 0;  // see MapArranger::Job
  layout::MapGraph now_;   // of the newest snapshot
  std::vector<std::string> doubts_;
  std::vector<char> off_;
  std::vector<LineEnds> ends_;
  uint64_t generation_ = 0;
  const snapshot::Snapshot* seen_ = nullptr;
  layout::MapGraph asked_;  // of the newest job
  double asked_s_ = 0;
  bool arrange_ = false;  // asked for by hand

  layout::MapGraph graph_;  // what the scene shows
  layout::MapScene scene_;
  geometry::Rect lines_around_;               // as they were arranged: new ones move nothing
  std::vector<const snapshot::Edge*> calls_;  // per edge of graph_, in the newest snapshot
  std::shared_ptr<const layout::MapPlan> plan_;
  uint64_t revision_ = 0;

  PanZoom view_;
  std::optional<Drag> drag_;
  int hovered_node_ = -1, hovered_edge_ = -1;
  std::optional<PortPlace> hovered_port_;
  MapLines lines_;
};

}  // namespace compmond::ui
