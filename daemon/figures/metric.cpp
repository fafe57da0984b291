// SPDX-License-Identifier: Apache-2.0
#include "figures/metric.h"

#include <algorithm>

namespace compmond::figures {
namespace {

constexpr double kHottest = 100;

bool executed(const Figures& figures) { return figures.calls > 0 || figures.executions > 0; }

double mean_real(const Figures& figures) {
  return figures.executions > 0 ? double(figures.real_ns) / double(figures.executions) : 0;
}

// A metric that is linear in one value of a component: 100 = the largest value, 0 = none executed.
class Linear : public Metric {
 public:
  std::vector<double> hotness(const std::vector<Figures>& figures) const override {
    double largest = 0;
    for (const Figures& f : figures)
      if (executed(f)) largest = std::max(largest, value(f));
    std::vector<double> out;
    for (const Figures& f : figures)
      out.push_back(executed(f) && largest > 0 ? value(f) / largest * kHottest : 0);
    return out;
  }

 private:
  virtual double value(const Figures& figures) const = 0;
};

class Overall : public Linear {
  std::string_view name() const override { return "overall"; }
  std::string_view description() const override {
    return "Real time in the window; 100 is the component with the most.";
  }
  double value(const Figures& figures) const override { return double(figures.real_ns); }
};

class Mean : public Linear {
  std::string_view name() const override { return "mean"; }
  std::string_view description() const override {
    return "Mean real time per execution; 100 is the largest mean.";
  }
  double value(const Figures& figures) const override { return mean_real(figures); }
};

class NormalizedMean : public Metric {
  std::string_view name() const override { return "normalized-mean"; }
  std::string_view description() const override {
    return "Mean real time per execution; 0 is the component with the smallest mean, 100 the one "
           "with the largest.";
  }
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

class Calls : public Linear {
  std::string_view name() const override { return "calls"; }
  std::string_view description() const override {
    return "Executions begun in the window; 100 is the component with the most.";
  }
  double value(const Figures& figures) const override { return double(figures.calls); }
};

class Maximum : public Linear {
  std::string_view name() const override { return "maximum"; }
  std::string_view description() const override {
    return "Raw time of the longest execution that ended in the window; 100 is the component with "
           "the longest.";
  }
  double value(const Figures& figures) const override { return double(figures.max_ns); }
};

class P99 : public Linear {
  std::string_view name() const override { return "p99"; }
  std::string_view description() const override {
    return "Raw time that 99 % of the executions that ended in the window do not exceed; 100 is "
           "the largest.";
  }
  double value(const Figures& figures) const override { return double(figures.p99_ns); }
};

class SloViolations : public Linear {
  std::string_view name() const override { return "slo-violations"; }
  std::string_view description() const override {
    return "Executions that missed their objective (slo_ms): ended in the window, or running and "
           "already above it; 100 is the component with the most.";
  }
  double value(const Figures& figures) const override {
    return double(figures.violations + figures.violating_now);
  }
};

std::vector<std::unique_ptr<Metric>> all() {
  std::vector<std::unique_ptr<Metric>> out;
  out.push_back(std::make_unique<Overall>());
  out.push_back(std::make_unique<Mean>());
  out.push_back(std::make_unique<NormalizedMean>());
  out.push_back(std::make_unique<Calls>());
  out.push_back(std::make_unique<Maximum>());
  out.push_back(std::make_unique<P99>());
  out.push_back(std::make_unique<SloViolations>());
  return out;
}

}  // namespace

const std::vector<std::unique_ptr<Metric>>& metrics() {
  static const std::vector<std::unique_ptr<Metric>> kMetrics = all();
  return kMetrics;
}

const Metric* metric(std::string_view name) {
  for (const auto& metric : metrics())
    if (metric->name() == name) return metric.get();
  return nullptr;
}

}  // namespace compmond::figures
