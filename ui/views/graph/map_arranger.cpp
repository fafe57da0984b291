// SPDX-License-Identifier: Apache-2.0
#include "ui/views/graph/map_arranger.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "geometry/camera.h"

namespace compmond::ui {
namespace {

// Names keep their size while all shrinks to fit, so boxes are widened for them: as far as that
// costs no more than a little of the zoom; columns that come closer make room. Of many boxes
// colours have to do.
constexpr size_t kMostWidened = 120;
constexpr int kTries = 4;
constexpr double kLeastZoom = 0.9;
constexpr double kCloserGap = 0.4;  // of the gap between columns

struct Arranged {
  layout::MapStyle style;
  layout::MapPlan plan;
  double zoom;  // at which all fits
};

Arranged arranged(const layout::MapGraph& graph, const layout::MapStyle& style) {
  Arranged out{style, layout::arrange(graph, style), 1};
  geometry::Rect all;
  for (const geometry::Rect& box : out.plan.boxes) all = all.joined(box);
  for (const geometry::Rect& one : layout::frames_around(graph, out.plan.boxes, style, {}))
    all = all.joined(one);
  out.zoom = geometry::fitted(all, {0, 0, style.area_width, style.area_height}, 1).zoom;
  return out;
}

// `first` with boxes as wide as names ask for, or as `least` zoom allows.
Arranged widened(const MapArranger::Job& job, Arranged first, double least) {
  Arranged best = std::move(first);
  double most = 1e9;
  for (int i = 0; i < kTries && best.style.box_width * best.zoom < job.name_width; ++i) {
    layout::MapStyle wider = best.style;
    wider.box_width = std::min(most, job.name_width / best.zoom);
    Arranged tried = arranged(job.graph, wider);
    if (tried.zoom >= least)
      best = std::move(tried);
    else
      most = (best.style.box_width + wider.box_width) / 2;
  }
  return best;
}

Arranged arranged_for_names(const MapArranger::Job& job) {
  Arranged first = arranged(job.graph, job.style);
  if (job.graph.nodes.size() > kMostWidened) return first;
  const double least = kLeastZoom * first.zoom;
  Arranged best = widened(job, std::move(first), least);
  if (best.style.box_width * best.zoom >= job.name_width) return best;
  // So small, the labels of edges have no room between columns anyway.
  layout::MapStyle closer = best.style;
  closer.gap_x *= kCloserGap;
  Arranged tried = widened(job, arranged(job.graph, closer), least);
  return tried.style.box_width * tried.zoom > best.style.box_width * best.zoom ? tried : best;
}

MapArranger::Done done(MapArranger::Job job) {
  if (!job.plan) {
    Arranged best = arranged_for_names(job);
    job.style = best.style;
    job.plan = std::make_shared<const layout::MapPlan>(std::move(best.plan));
  }
  auto scene = layout::compose(job.graph, *job.plan, job.style, job.moved);
  return {std::move(job.graph), std::move(job.plan), std::move(scene), job.style};
}

}  // namespace

void MapArranger::start(Job job) {
  // Deferred where there is no room for a thread: take() does it then.
  running_ = std::async(std::launch::async | std::launch::deferred, done, std::move(job));
}

void MapArranger::want(Job job) {
  if (busy())
    next_ = std::move(job);
  else
    start(std::move(job));
}

std::optional<MapArranger::Done> MapArranger::take() {
  if (!busy() || running_.wait_for(std::chrono::seconds(0)) == std::future_status::timeout)
    return std::nullopt;
  Done result = running_.get();
  if (!next_) return result;
  start(std::move(*next_));
  next_.reset();
  return std::nullopt;
}

}  // namespace compmond::ui
