// SPDX-License-Identifier: Apache-2.0
#include "figures/metric.h"

#include <algorithm>

namespace compmond::figures {
namespace {

constexpr double kHottest = 100;

bool executed(const Figures& figures) {
  return figures.calls > 0 || figures.executions > 0 || figures.sampled;
}

double mean_real(const Figures& figures) {
  return figures.executions > 0 ? double(figures.net_real_ns) / double(figures.executions) : 0;
}

// A metric that is linear in one value of a component: 100 = the largest value, 0 = none executed.
class Linear : public Metric {
 public:
  using Value = double (*)(const Figures&);
  Linear(std::string_view name, Figure ranks, Basis basis, std::string_view description,
         Value value)
      : name_(name), ranks_(ranks), basis_(basis), description_(description), value_(value) {}
  std::string_view name() const override { return name_; }
  std::string_view description() const override { return description_; }
  Basis basis() const override { return basis_; }
  Figure ranks() const override { return ranks_; }
  std::vector<double> hotness(const std::vector<Figures>& figures) const override {
    double largest = 0;
    for (const Figures& f : figures)
      if (executed(f)) largest = std::max(largest, value_(f));
    std::vector<double> out;
    for (const Figures& f : figures)
      out.push_back(executed(f) && largest > 0 ? value_(f) / largest * kHottest : 0);
    return out;
  }

 private:
  std::string_view name_;
  Figure ranks_;
  Basis basis_;
  std::string_view description_;
  Value value_;
};

class NormalizedMean : public Metric {
  std::string_view name() const override { return "normalized-mean"; }
  std::string_view description() const override {
    return "Mean net real time per execution; 0 is the component with the smallest mean, 100 the "
           "one "
           "with the largest.";
  }
  Basis basis() const override { return Basis::kCalls; }
  Figure ranks() const override { return Figure::kMeanReal; }
  // Components with one and the same mean are all the largest.
  std::vector<double> hotness(const std::vector<Figures>& figures) const override {
    double largest = 0, smallest = 0;
    bool any = false;
    for (const Figures& f : figures) {
      if (f.executions == 0) continue;
      largest = any ? std::max(largest, mean_real(f)) : mean_real(f);
      smallest = any ? std::min(smallest, mean_real(f)) : mean_real(f);
      any = true;
    }
    std::vector<double> out;
    for (const Figures& f : figures) {
      const double above =
          largest > smallest ? (mean_real(f) - smallest) / (largest - smallest) : 1;
      out.push_back(f.executions > 0 ? above * kHottest : 0);
    }
    return out;
  }
};

std::vector<std::unique_ptr<Metric>> all() {
  std::vector<std::unique_ptr<Metric>> out;
  const auto linear = [&](std::string_view name, Figure ranks, std::string_view description,
                          Linear::Value value, Basis basis = Basis::kCalls) {
    out.push_back(std::make_unique<Linear>(name, ranks, basis, description, value));
  };
  linear(
      "overall", Figure::kRealTime,
      "Net real time in the window; 100 is the component with the most.",
      [](const Figures& f) { return double(f.net_real_ns); }, Basis::kTimes);
  linear(
      "on-cpu", Figure::kCpuTime,
      "Of the real time in the window that was on a CPU, as samples say; 100 is the component with "
      "the most.",
      [](const Figures& f) { return double(f.cpu_ns); }, Basis::kSamples);
  linear("mean", Figure::kMeanReal, "Mean net real time per execution; 100 is the largest mean.",
         mean_real);
  out.push_back(std::make_unique<NormalizedMean>());
  linear("calls", Figure::kCalls,
         "Executions begun in the window; 100 is the component with the most.",
         [](const Figures& f) { return double(f.calls); });
  linear("maximum", Figure::kLongest,
         "Raw time of the longest execution that ended in the window; 100 is the component with "
         "the longest.",
         [](const Figures& f) { return double(f.max_ns); });
  linear("p99", Figure::kP99,
         "Raw time that 99 % of the executions that ended in the window do not exceed; 100 is "
         "the largest.",
         [](const Figures& f) { return double(f.p99_ns); });
  linear("slo-violations", Figure::kMissed,
         "Executions that missed their objective (slo_ms): ended in the window, or running and "
         "already above it; 100 is the component with the most.",
         [](const Figures& f) { return double(f.violations + f.violating_now); });
  return out;
}

}  // namespace

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

}  // namespace compmond::figures
