// SPDX-License-Identifier: Apache-2.0
#include "traces/traced.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

uint32_t Catalogue::Numbers::number(std::string_view name) {
  if (const auto found = index.find(name); found != index.end()) return found->second;
  names.emplace_back(name);
  return index.emplace(name, uint32_t(names.size() - 1)).first->second;
}

uint32_t Catalogue::thread(TracedThread thread) {
  threads_.push_back(std::move(thread));
  return uint32_t(threads_.size() - 1);
}

uint32_t Catalogue::add(std::string_view component, std::string_view signature,
                        std::string_view short_name, std::string_view long_name) {
  const auto id = uint32_t(operations_.size());
  std::string name(short_name);
  for (int copy = 1; !by_name_.emplace(fmt::format("{}\n{}", component, name), id).second; ++copy)
    name = copy == 1 ? std::string(long_name) : fmt::format("{} #{}", long_name, copy);
  operations_.push_back({std::string(component), std::move(name), std::string(signature)});
  return id;
}

uint32_t Catalogue::operation(std::string_view component, std::string_view signature,
                              std::string_view short_name, std::string_view long_name) {
  std::string key = fmt::format("{}\n{}", component, signature);
  if (const auto found = by_signature_.find(key); found != by_signature_.end())
    return found->second;
  return by_signature_.emplace(std::move(key), add(component, signature, short_name, long_name))
      .first->second;
}

uint32_t Catalogue::operation(std::string_view component, std::string_view name) {
  std::string key = fmt::format("{}\n\n{}", component, name);
  if (const auto found = by_signature_.find(key); found != by_signature_.end())
    return found->second;
  return by_signature_.emplace(std::move(key), add(component, "", name, name)).first->second;
}

}  // namespace compmond::traces
