// SPDX-License-Identifier: Apache-2.0
#include "protocol/inside_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text/match.h"
#include "text/numbers.h"

namespace compmond::snapshot {
namespace {

bool fine(double value) { return std::isfinite(value) && value >= 0; }

bool fine(const std::vector<Inside::Node>& nodes, size_t functions) {
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Inside::Node& node = nodes[i];
    const bool root = i == 0;
    if (root ? node.parent != -1 : node.parent < 0 || node.parent >= int64_t(i)) return false;
    if (root ? node.function != -1 : node.function < 0 || node.function >= int64_t(functions))
      return false;
    if (!fine(node.own_cpu_ns) || !fine(node.own_waiting_ns) || !fine(node.cpu_ns) ||
        !fine(node.waiting_ns))
      return false;
  }
  return true;
}

}  // namespace

Estimated estimated_of(const Spent& spent) {
  Estimated out;
  out.net_real_ns = {spent.all_ns, spent.at_least || spent.cpu_at_least};
  out.cpu_ns = {spent.cpu_ns, spent.cpu_at_least};
  out.waiting_ns = {spent.waiting_ns, spent.at_least};
  out.samples = spent.samples;
  out.own_samples = spent.samples;
  return out;
}

std::string cut_text(const Inside& inside) {
  const auto part = [&](uint64_t of) {
    return text::percent(100 * double(of) / double(std::max<uint64_t>(1, inside.taken)));
  };
  const std::string cut = inside.truncated > 0 ? part(inside.truncated) + " of all stacks cut" : "";
  if (inside.broken == 0) return cut;
  return cut.empty() ? part(inside.broken) + " of all stacks broken"
                     : cut + ", " + part(inside.broken) + " broken";
}

std::string label(const Inside::Function& function) {
  if (function.whose == Whose::kKernel) return "[kernel]";
  if (function.whose == Whose::kMissing) return "(callers missing)";
  if (!function.short_name.empty()) return function.short_name;
  if (!function.name.empty()) return function.name;
  if (function.image.empty()) return "(code of no file)";
  const std::string_view file = text::leaf(function.image);
  return function.start ? fmt::format("{:#x} in {}", *function.start, file)
                        : fmt::format("unknown in {}", file);
}

bool well_formed(const Inside& content) {
  return fine(content.callees, content.functions.size()) &&
         fine(content.callers, content.functions.size());
}

}  // namespace compmond::snapshot
