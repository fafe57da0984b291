// SPDX-License-Identifier: Apache-2.0
#include "figures/metric.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace compmond::figures {
namespace {

// One that is linear in one value of a component.
class Linear : public Metric {
 public:
  struct Traits {
    std::string_view name, description;
    Figure ranks;
    Basis basis = Basis::kCalls;
    Unit unit = Unit::kCallTime;
    bool from_smallest = false, always_of_wall = false;
  };
  using Value = double (*)(const Figures&);
  Linear(const Traits& traits, Value of) : traits_(traits), value_(of) {}
  std::string_view name() const override { return traits_.name; }
  std::string_view description() const override { return traits_.description; }
  Basis basis() const override { return traits_.basis; }
  Unit unit() const override { return traits_.unit; }
  Figure ranks() const override { return traits_.ranks; }
  double value(const Figures& figures) const override { return value_(figures); }
  bool from_smallest() const override { return traits_.from_smallest; }
  bool always_of_wall() const override { return traits_.always_of_wall; }

 private:
  Traits traits_;
  Value value_;
};

double net_real(const Figures& f) { return double(f.net_real_ns); }

double mean_real(const Figures& f) {
  return f.executions > 0 ? double(f.net_real_ns) / double(f.executions) : 0;
}

std::vector<std::unique_ptr<Metric>> all() {
  std::vector<std::unique_ptr<Metric>> out;
  const auto linear = [&](const Linear::Traits& traits, Linear::Value of) {
    out.push_back(std::make_unique<Linear>(traits, of));
  };
  linear({"overall", "Net real time in the window; 100 is the component with the most.",
          Figure::kReal, Basis::kTimes, Unit::kWindowTime},
         net_real);
  linear({"on-cpu",
          "Of the real time in the window that was on a CPU, as samples say; 100 is the component "
          "with the most.",
          Figure::kOnCpu, Basis::kSamples, Unit::kWindowTime},
         [](const Figures& f) { return double(f.cpu_ns); });
  linear({"own-share",
          "Net real time as a share of the window's length, all threads together; 100 is the whole "
          "length or more, whatever the others take.",
          Figure::kOfWall, Basis::kTimes, Unit::kWindowTime, false, true},
         net_real);
  linear({"deviation",
          "How far the share of the window's length is from the one before: of the saved snapshot "
          "(--baseline), else of the run up to the window; 100 is the component farthest from it.",
          Figure::kDeviation, Basis::kTimes, Unit::kWindowTime},
         [](const Figures& f) { return std::abs(f.deviation_ns.value_or(0)); });
  linear({"mean", "Mean net real time per execution; 100 is the largest mean.", Figure::kMeanReal},
         mean_real);
  linear({"normalized-mean",
          "Mean net real time per execution; 0 is the component with the smallest mean, 100 the "
          "one with the largest.",
          Figure::kMeanReal, Basis::kCalls, Unit::kCallTime, true},
         mean_real);
  linear({"calls", "Executions begun in the window; 100 is the component with the most.",
          Figure::kCalls, Basis::kCalls, Unit::kCount},
         [](const Figures& f) { return double(f.calls); });
  linear({"maximum",
          "Raw time of the longest execution that ended in the window; 100 is the component with "
          "the longest.",
          Figure::kLongest},
         [](const Figures& f) { return double(f.max_ns); });
  linear({"p99",
          "Raw time that 99 % of the executions that ended in the window do not exceed; 100 is the "
          "largest.",
          Figure::kP99},
         [](const Figures& f) { return double(f.p99_ns); });
  linear({"slo-violations",
          "Executions that missed their objective (slo_ms): ended in the window, or running and "
          "already above it; 100 is the component with the most.",
          Figure::kMissed, Basis::kCalls, Unit::kCount},
         [](const Figures& f) { return double(f.violations + f.violating_now); });
  return out;
}

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

bool executed(const Figures& figures) {
  return figures.calls > 0 || figures.executions > 0 || figures.sampled ||
         figures.deviation_ns.value_or(0) != 0;
}

std::vector<double> Metric::hotness(const std::vector<Figures>& figures) const {
  return heat(*this, scale_of(*this, figures, {}), figures);
}

const std::vector<std::unique_ptr<Metric>>& metrics() {
  static const std::vector<std::unique_ptr<Metric>> kMetrics = all();
  return kMetrics;
}

const Metric* metric(std::string_view name) {
  if (name.empty()) return metrics().front().get();
  for (const auto& metric : metrics())
    if (metric->name() == name) return metric.get();
  return nullptr;
}

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
