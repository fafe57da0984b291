// SPDX-License-Identifier: Apache-2.0
#include "front/shown.h"

#include <string>
#include <string_view>
#include <vector>

#include "figures/metric.h"
#include "text/nearest.h"

namespace compmond::front {
namespace {

constexpr const char* kOnCommandLine = "command line";

// Those metrics that do without.
std::string others(figures::Basis basis) {
  std::vector<std::string_view> names;
  for (const auto& metric : figures::metrics())
    if (metric->basis() != basis) names.push_back(metric->name());
  return text::listed(names, "or");
}

}  // namespace

Result<void> check_shown(const Options& options, bool calls, bool samples) {
  const figures::Metric& metric = *figures::metric(options.metric);
  const std::string name(metric.name());
  if (metric.basis() == figures::Basis::kCalls && !calls)
    return fail(Exit::kUsage, kOnCommandLine,
                "--metric " + name + " needs calls, and samples are all there is",
                "Choose " + others(metric.basis()) + ".");
  if (metric.basis() == figures::Basis::kSamples && !samples)
    return fail(Exit::kUsage, kOnCommandLine,
                "--metric " + name + " needs samples, and there are none",
                "Choose " + others(metric.basis()) + ", or have samples taken (--samples).");
  if (!options.inside.name.empty() && !samples)
    return fail(Exit::kUsage, kOnCommandLine,
                "--inside needs samples, which tell functions, and there are none",
                "Leave it out, or have samples taken (--samples).");
  return {};
}

}  // namespace compmond::front
