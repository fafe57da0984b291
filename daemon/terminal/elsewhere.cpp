// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/result.h"
#include "terminal/parts.h"
#include "text/numbers.h"

namespace compmond::terminal {
namespace {

constexpr size_t kMostFiles = 5;

}  // namespace

Lines elsewhere(const snapshot::Snapshot& snapshot, const Style& style, size_t width) {
  if (!snapshot.health.samples) return {};
  const auto& files = snapshot.health.samples->elsewhere_by_image;
  const auto time = [](const snapshot::Estimate& e) { return text::duration(e.value_ns); };
  std::vector<Segment> said;
  for (size_t i = 0; i < std::min(files.size(), kMostFiles); ++i) {
    std::string one = image_label(files[i]) + " " + time(files[i].cpu_ns) + " on CPU";
    if (files[i].waiting_ns.value_ns > 0)
      one += fmt::format(", {} waiting", time(files[i].waiting_ns));
    said.push_back({std::move(one), Ink::kQuiet});
  }
  return said.empty() ? Lines() : moved_in(flow(style, said, width - 2));
}

}  // namespace compmond::terminal
