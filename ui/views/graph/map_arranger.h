// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>
#include <map>
#include <memory>
#include <optional>

#include "layout/map_scene.h"

namespace compmond::ui {

// Arranges and routes on a thread of its own, one job after the other; a newer job replaces one
// that has not begun. Used from one thread. Its end waits for the job that is under way.
class MapArranger {
 public:
  struct Job {
    layout::MapGraph graph;
    layout::MapStyle style;
    std::shared_ptr<const layout::MapPlan> plan;  // none: place the boxes anew
    std::map<int, geometry::Pt> moved;
    double name_width = 0;  // of the longest name where all is small, in design pixels
  };
  struct Done {
    layout::MapGraph graph;
    std::shared_ptr<const layout::MapPlan> plan;
    layout::MapScene scene;
    layout::MapStyle style;  // the job's, but for boxes made wider and columns moved closer
  };

  void want(Job job);
  bool busy() const { return running_.valid(); }
  // The newest result, once.
  std::optional<Done> take();

 private:
  void start(Job job);

  std::future<Done> running_;
  std::optional<Job> next_;
};

}  // namespace compmond::ui
