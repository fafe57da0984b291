// SPDX-License-Identifier: Apache-2.0
#include "later/risk_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "text/numbers.h"

namespace compmond::later {
namespace {

bool trusts_images(const plan::Way& way) { return !way.refused && way.trusts_images; }
bool distrusts(const plan::Way& way) { return !way.trusts_images; }

// Empty: it stays as it is.
std::string risk_to(const plan::Way& way, const plan::LaterRisk& risk) {
  if (!trusts_images(way)) return {};
  if (!risk.to_all.empty()) return risk.to_all;
  if (risk.to_open.empty() || way.opening.empty()) return {};
  return risk.to_open + ": " + way.opening;
}

}  // namespace

Result<std::optional<RiskWatch>> RiskWatch::open(const plan::Plan& plan,
                                                 ImageReader::RiskOf risk_of) {
  const bool needed = std::ranges::any_of(plan.operations, [](const plan::PlannedOperation& op) {
    return std::ranges::any_of(op.ways, trusts_images);
  });
  if (!needed) return std::optional<RiskWatch>();
  auto reader = ImageReader::start(std::move(risk_of));
  if (!reader) return Unexpected(std::move(reader.error()));
  return std::optional(RiskWatch(plan, std::move(*reader)));
}

void RiskWatch::meet(const sampling::Image& image) {
  if (image.file) reader_.add(image.path, image.file);  // else who opens files says so
}

std::vector<size_t> RiskWatch::look(uint64_t now_ns, plan::OperationStates& states,
                                    const Tell& tell) {
  std::vector<size_t> out;
  for (const ImageReader::Read& read : reader_.take(now_ns)) {
    if (!read.missing.empty())
      tell(fmt::format("{}, which was loaded later, could not be looked at for risks: {}",
                       read.path, read.missing));
    std::ranges::move(act_on(read, now_ns, states, tell), std::back_inserter(out));
  }
  return out;
}

std::vector<size_t> RiskWatch::act_on(const ImageReader::Read& read, uint64_t now_ns,
                                      plan::OperationStates& states, const Tell& tell) const {
  std::vector<size_t> out;
  size_t refused = 0;
  for (size_t i = 0; i < states.size(); ++i) {
    if (states[i].refused()) continue;
    const std::string why = risk_to(plan::way_of(*plan_, states, i), read.risk);
    if (why.empty()) continue;
    out.push_back(i);
    refused += !states.change_over(*plan_, i, now_ns, why, distrusts);
  }
  if (out.size() > refused)
    tell(fmt::format(
        "{} was loaded later, and return probes are not safe with it: {} observed at "
        "their return instructions from now on. What was under way when they changed "
        "may have come to harm: load it before compmond begins",
        read.path, text::counted(out.size() - refused, "operation is", "operations are")));
  if (refused > 0)
    tell(
        fmt::format("{} was loaded later, and return probes are not safe with it: {} not observed "
                    "any more, as their exits are not all known (\"exit\": \"entry-only\" counts "
                    "them)",
                    read.path, text::counted(refused, "operation is", "operations are")));
  return out;
}

}  // namespace compmond::later
