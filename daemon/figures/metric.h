// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/heat.h"
#include "figures/figures.h"

namespace compmond::figures {

// What a metric is made of.
enum class Basis {
  kTimes,    // of calls or of samples
  kCalls,    // which samples do not tell
  kSamples,  // which calls do not tell
};

// What a metric's values are.
enum class Unit {
  kWindowTime,  // ns of the window, of all threads: of these there is a share of wall, and a floor
  kCallTime,    // ns of single calls
  kCount,       // in the window
};

using Figure = RankedFigure;

// Turns the figures of components into hotness 0..100. One small class per metric behind this
// interface.
class Metric {
 public:
  virtual ~Metric() = default;
  virtual std::string_view name() const = 0;         // as given to --metric
  virtual std::string_view description() const = 0;  // one sentence for people
  virtual Basis basis() const = 0;
  virtual Unit unit() const = 0;
  virtual Figure ranks() const = 0;  // what the value is; whoever shows one shows that
  virtual double value(const Figures&) const = 0;  // never negative
  // Hotness 0 is the smallest value instead of none.
  virtual bool from_smallest() const { return false; }
  // What 100 is, whatever is chosen.
  virtual bool always_of_wall() const { return false; }

  // Hotness of each, same order, 100 = the largest value; 0 for what was not executed in the
  // window.
  std::vector<double> hotness(const std::vector<Figures>& figures) const;
};

bool executed(const Figures& figures);

// All metrics, in the order in which they are listed; the first is shown unless another is chosen.
const std::vector<std::unique_ptr<Metric>>& metrics();
// nullptr when there is none of that name; of an empty one the first.
const Metric* metric(std::string_view name);

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
