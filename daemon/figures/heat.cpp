// SPDX-License-Identifier: Apache-2.0
#include "figures/heat.h"

#include <algorithm>
#include <limits>

namespace compmond::figures {
namespace {

constexpr double kHottest = 100;

struct Ends {
  double smallest = std::numeric_limits<double>::infinity(), largest = 0;
};

// Of what was executed and has such a value.
Ends ends_of(const Metric& metric, const std::vector<Figures>& figures) {
  Ends out;
  for (const Figures& f : figures) {
    if (!executed(f) || (metric.from_smallest() && f.executions == 0)) continue;
    out.smallest = std::min(out.smallest, metric.value(f));
    out.largest = std::max(out.largest, metric.value(f));
  }
  return out;
}

HeatScale possible(const Metric& metric, const HeatChoice& choice) {
  if (metric.always_of_wall() && choice.window_ns > 0) return HeatScale::kWall;
  const bool of_wall = choice.scale == HeatScale::kWall && metric.unit() == Unit::kWindowTime;
  const bool of_run = choice.scale == HeatScale::kRun && choice.run && choice.run_ns > 0 &&
                      !metric.from_smallest() && metric.ranks() != Figure::kDeviation;
  return of_wall ? HeatScale::kWall : of_run ? HeatScale::kRun : HeatScale::kWindow;
}

}  // namespace

Scale scale_of(const Metric& metric, const std::vector<Figures>& figures,
               const HeatChoice& choice) {
  Scale out;
  const HeatScale scale = possible(metric, choice);
  out.of = scale;
  if (metric.unit() == Unit::kWindowTime) out.floor = choice.floor_share * double(choice.window_ns);
  const Ends ends = ends_of(metric, scale == HeatScale::kRun ? *choice.run : figures);
  out.full = ends.largest;
  if (scale == HeatScale::kRun && metric.unit() != Unit::kCallTime)
    out.full *= double(choice.window_ns) / double(choice.run_ns);
  if (scale == HeatScale::kWall) out.full = double(choice.window_ns);
  if (metric.from_smallest() && ends.smallest <= ends.largest) out.cold = ends.smallest;
  return out;
}

std::vector<double> heat(const Metric& metric, const Scale& scale,
                         const std::vector<Figures>& figures) {
  std::vector<double> out;
  for (const Figures& f : figures) {
    const double value = metric.value(f);
    const bool counts = executed(f) && value >= scale.floor && scale.full > 0 &&
                        !(metric.from_smallest() && f.executions == 0);
    // Where all are alike, all are the largest.
    const double share =
        scale.full > scale.cold ? (value - scale.cold) / (scale.full - scale.cold) : 1;
    out.push_back(counts ? std::clamp(share, 0.0, 1.0) * kHottest : 0);
  }
  return out;
}

}  // namespace compmond::figures
