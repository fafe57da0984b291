// SPDX-License-Identifier: Apache-2.0
#include "traces/traced.h"

#include <algorithm>

namespace compmond::traces {

uint64_t Trace::start_ns() const {
  return std::min_element(executions.begin(), executions.end(),
                          [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; })
      ->start_ns;
}

uint64_t Trace::end_ns() const {
  return std::max_element(executions.begin(), executions.end(),
                          [](const auto& a, const auto& b) { return a.end_ns < b.end_ns; })
      ->end_ns;
}

int32_t Trace::max_depth() const {
  int32_t depth = 0;
  for (const TracedExecution& execution : executions) depth = std::max(depth, execution.ess);
  return depth;
}

std::vector<uint64_t> Trace::real_ns() const {
  if (!own_ns.empty()) return own_ns;
  std::vector<uint64_t> real(executions.size());
  std::vector<uint64_t> nested(executions.size());
  for (size_t i = 0; i < executions.size(); ++i)
    if (caller[i] >= 0) nested[size_t(caller[i])] += executions[i].raw_ns();
  for (size_t i = 0; i < executions.size(); ++i) {
    const uint64_t raw = executions[i].raw_ns();
    real[i] = raw - std::min(raw, nested[i]);
  }
  return real;
}

std::vector<double> Trace::probes_ns() const {
  if (!own_ns.empty()) return own_probes_ns;
  std::vector<double> out(executions.size());
  for (size_t i = 0; i < executions.size(); ++i) {
    out[i] += double(executions[i].inside_ns);
    if (caller[i] >= 0) out[size_t(caller[i])] += double(executions[i].outside_ns);
  }
  return out;
}

uint64_t net_real_ns(uint64_t real_ns, double probes_ns) {
  return real_ns - std::min(real_ns, uint64_t(std::max(0.0, probes_ns)));
}

}  // namespace compmond::traces
