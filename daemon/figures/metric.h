// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "figures/figures.h"

namespace compmond::figures {

// What a metric is made of.
enum class Basis {
  kTimes,    // of calls or of samples
  kCalls,    // which samples do not tell
  kSamples,  // which calls do not tell
};

// The figure by which a metric ranks; whoever shows one first shows that.
enum class Figure { kRealTime, kCpuTime, kMeanReal, kCalls, kLongest, kP99, kMissed };

// Turns the figures of components into hotness 0..100. One small class per metric behind this
// interface.
class Metric {
 public:
  virtual ~Metric() = default;
  virtual std::string_view name() const = 0;         // as given to --metric
  virtual std::string_view description() const = 0;  // one sentence for people
  virtual Basis basis() const = 0;
  virtual Figure ranks() const = 0;
  // Hotness of each, same order; 0 for what was not executed in the window.
  virtual std::vector<double> hotness(const std::vector<Figures>& figures) const = 0;
};

// All metrics, in the order in which they are listed; the first is shown unless another is chosen.
const std::vector<std::unique_ptr<Metric>>& metrics();
// nullptr when there is none of that name; of an empty one the first.
const Metric* metric(std::string_view name);

}  // namespace compmond::figures
