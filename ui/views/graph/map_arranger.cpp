// SPDX-License-Identifier: Apache-2.0
#include "ui/views/graph/map_arranger.h"

#include <chrono>
#include <utility>

namespace compmond::ui {
namespace {

MapArranger::Done done(MapArranger::Job job) {
  if (!job.plan)
    job.plan = std::make_shared<const layout::MapPlan>(layout::arrange(job.graph, job.style));
  auto scene = layout::compose(job.graph, *job.plan, job.style, job.moved);
  return {std::move(job.graph), std::move(job.plan), std::move(scene)};
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
