// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/limits.h"
#include "figures/metric.h"
#include "present/known.h"
#include "present/view_answer.h"

namespace compmond::present {
namespace {

constexpr const char* kWhat = "cannot answer this";
constexpr const char* kNext = "docs/protocol.md has the bounds of every request.";

Unexpected out_of_range(const char* place, const char* bounds) {
  return fail(Exit::kData, kWhat, fmt::format("{} {}", place, bounds), kNext);
}

bool between(uint64_t value, uint64_t low, uint64_t high) { return value >= low && value <= high; }

}  // namespace

Result<void> check_request(const RunParts& run, const snapshot::ViewRequest& request) {
  if (!request.metric.empty() && !figures::metric(request.metric))
    return fail(Exit::kData, kWhat,
                fmt::format("/metric: there is no metric '{}'", request.metric.substr(0, 60)),
                "The greeting lists them.");
  if (!request.heat.scale.known())
    return fail(
        Exit::kData, kWhat,
        fmt::format("/heat/scale: there is no '{}'", request.heat.scale.text().substr(0, 60)),
        "There are 'window', 'run' and 'wall'.");
  if (!(request.heat.floor_pct >= 0 && request.heat.floor_pct <= 100))
    return out_of_range("/heat/floor_pct", "is not from 0 to 100");
  const snapshot::TimeWindow& window = request.window;
  if (!std::isfinite(window.last_s) || window.last_s < 0)
    return out_of_range("/window/last_s", "is no length of time");
  if (window.last_s > 0 && window.end_ns > 0)
    return out_of_range("/window", "has both last_s and end_ns");
  if (window.start_ns > 0 && window.end_ns == 0)
    return out_of_range("/window", "has start_ns without end_ns");
  if (window.end_ns > 0 && window.end_ns < window.start_ns)
    return out_of_range("/window", "ends before it starts");
  if (const auto& strip = request.strip) {
    if (!between(strip->columns, 1, limits::kStripColumns))
      return out_of_range("/strip/columns", "is not from 1 to 4,096");
    if (strip->end_ns > 0 && strip->end_ns < strip->start_ns)
      return out_of_range("/strip", "ends before it starts");
    if (uint64_t(strip->columns) * run.spec.components.size() > limits::kStripCells)
      return out_of_range("/strip/columns", "is too much for so many components");
  }
  if (const auto& executions = request.executions) {
    if (!between(executions->pixels, 1, limits::kExecutionsPixels))
      return out_of_range("/executions/pixels", "is not from 1 to 8,192");
    if (!between(executions->limit, 1, limits::kExecutionsShown))
      return out_of_range("/executions/limit", "is not from 1 to 20,000");
    if (executions->end_ns > 0 && executions->end_ns < executions->start_ns)
      return out_of_range("/executions", "ends before it starts");
  }
  return {};
}

Result<int> component_of(const RunParts& run, const std::string& path) {
  const auto& components = run.spec.components;
  const auto found = std::ranges::find(components, path, &spec::Component::path);
  if (found != components.end()) return int(found - components.begin());
  return fail(Exit::kData, kWhat, fmt::format("there is no component '{}'", path.substr(0, 200)),
              "A snapshot lists them by their paths, such as Parent/Child.");
}

Result<figures::Filter> filter_of(const RunParts& run, const snapshot::ViewFilter& filter) {
  figures::Filter out;
  out.min_duration_ns = filter.min_duration_ns;
  for (const std::string& path : filter.components) {
    const auto component = component_of(run, path);
    if (!component) return Unexpected(component.error());
    out.components.push_back(*component);
  }
  const auto& operations = run.plan.operations;
  for (const std::string& name : filter.operations) {
    const size_t before = out.operations.size();
    for (size_t i = 0; i < operations.size(); ++i)
      if (operations[i].name == name) out.operations.push_back(figures::OperationId(i));
    if (out.operations.size() == before)
      return fail(Exit::kData, kWhat,
                  fmt::format("there is no operation '{}'", name.substr(0, 200)),
                  "A snapshot lists them by component.");
  }
  for (const history::ThreadTotals& thread : run.checkpoint.threads)
    if (std::ranges::find(filter.threads, int64_t(thread.info.tid)) != filter.threads.end())
      out.threads.push_back(thread.thread);
  // An empty list would let every thread pass.
  if (!filter.threads.empty() && out.threads.empty()) out.threads.push_back(history::kOlderThreads);
  return out;
}

Window window_of(const RunParts& run, const snapshot::TimeWindow& window) {
  if (window.end_ns > 0) return {window.start_ns, window.end_ns};
  return last_seconds(run, window.last_s);
}

}  // namespace compmond::present
