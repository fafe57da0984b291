// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "figures/metric.h"

// What hotness 100 is, and what is too little for any.
namespace compmond::figures {

// How the values of components become hotness.
struct HeatChoice {
  HeatScale scale = HeatScale::kWindow;
  double floor_share = 0;  // of the window's length: less time than that is not hot
  uint64_t window_ns = 0;  // its length
  uint64_t run_ns = 0;     // of kRun: of the run up to now
  const std::vector<Figures>* run = nullptr;  // of kRun: the same components over all of it
};

// Values are the metric's.
struct Scale {
  HeatScale of = HeatScale::kWindow;  // what could be kept to of what was chosen
  double full = 0;                    // what 100 is; 0: nothing is hot
  double cold = 0;                    // what 0 is, where that is not nothing
  double floor = 0;                   // below it nothing is hot
};

// Hotness 100 is the largest value in the window; of kRun the largest of the run, times by the
// window's length; of kWall the window's length, where the metric has times of the window. The
// floor is of these alone: a single call may be long however rare it is.
Scale scale_of(const Metric& metric, const std::vector<Figures>& figures, const HeatChoice& choice);

// Hotness of each, 0 to 100, linear; 0 for what was not executed, and below the floor.
std::vector<double> heat(const Metric& metric, const Scale& scale,
                         const std::vector<Figures>& figures);

}  // namespace compmond::figures
