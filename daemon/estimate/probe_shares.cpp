// SPDX-License-Identifier: Apache-2.0
#include "estimate/probe_shares.h"

#include <algorithm>

namespace compmond::estimate {

void ProbeShares::begin(uint64_t at_ns) {
  open_ = {at_ns, at_ns};
  totals_ = {};
  sums_ = {};
}

void ProbeShares::add(const Tile& tile) {
  const Totals& totals = tile.totals;
  const bool told = totals.probes_time_ns > 0 && totals.probes_time_ns == totals.time_ns &&
                    totals.unsampled_cpu_ns == 0;
  if (!told) return begin(tile.end_ns);
  if (tile.start_ns != open_.end_ns) begin(tile.start_ns);
  open_.end_ns = tile.end_ns;
  totals_ += totals;
  if (const Sums* sums = tile.find(Key(Kind::kInProbe, Key::kAll))) sums_ += *sums;
  if (open_.length() < kIntervalNs || totals_.samples.on_samples < kSamples) return;
  all_.push_back({open_, totals_.cpu_ns, on_cpu(sums_, totals_, {})});
  if (all_.size() > kMost) all_.pop_front();
  begin(open_.end_ns);
}

std::vector<ProbeShare> ProbeShares::newest(Window window, size_t most) const {
  std::vector<ProbeShare> out;
  for (auto one = all_.rbegin(); one != all_.rend() && out.size() < most; ++one) {
    if (one->interval.start_ns >= window.end_ns) continue;
    if (one->interval.end_ns <= window.start_ns && out.size() >= 2) break;
    out.push_back(*one);
  }
  std::ranges::reverse(out);
  return out;
}

}  // namespace compmond::estimate
