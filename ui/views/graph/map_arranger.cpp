// SPDX-License-Identifier: Apache-2.0
#include "ui/views/graph/map_arranger.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "geometry/camera.h"

namespace compmond::ui {
namespace {

// Names keep their size while all shrinks to fit, so boxes are widened for them: as far as that
// costs no more than a little of the zoom. Of many boxes colours have to do.
constexpr size_t kMostWidened = 120;
constexpr int kTries = 4;
constexpr double kLeastZoom = 0.9;

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

Arranged arranged_for_names(const MapArranger::Job& job) {
  Arranged best = arranged(job.graph, job.style);
  if (job.graph.nodes.size() > kMostWidened) return best;
  const double least = kLeastZoom * best.zoom;
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
  running_ = std::async(std::launch::async, done, std::move(job));
}

void MapArranger::want(Job job) {
  if (busy())
    next_ = std::move(job);
  else
    start(std::move(job));
}

std::optional<MapArranger::Done> MapArranger::take() {
  if (!busy() || running_.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
    return std::nullopt;
  Done result = running_.get();
  if (!next_) return result;
  start(std::move(*next_));
  next_.reset();
  return std::nullopt;
}

}  // namespace compmond::ui
