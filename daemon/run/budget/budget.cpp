// SPDX-License-Identifier: Apache-2.0
#include "budget/budget.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace compmond::run {
namespace {

constexpr double kCore = 0.01;  // of one: less than that nobody notices
constexpr double kHeadroom = 0.8;
constexpr double kCheap = 0.1;
constexpr double kSeeAll = 0.5;
constexpr uint64_t kFewCalls = 5;  // tell no rate
// Of the CPU time at least that is the target's own, whatever costs say: they are estimates, and
// where probes take nearly all, what is left is a small difference.
constexpr double kOwn = 0.05;

double cost_of(const std::vector<bool>& operations, const Seen& seen) {
  double sum = 0;
  for (size_t i = 0; i < operations.size(); ++i)
    if (operations[i]) sum += seen.loads[i].cost_ns;
  return sum;
}

}  // namespace

double Seen::cost_ns() const {
  return std::accumulate(loads.begin(), loads.end(), beside_ns,
                         [](double sum, const Load& load) { return sum + load.cost_ns; });
}

double Seen::cost_pct() const { return cpu_ns > 0 ? std::min(100.0, 100 * cost_ns() / cpu_ns) : 0; }

double OverheadBudget::allowed_ns(double cpu_ns, double wall_ns) const {
  return std::max(cpu_ns * percent_ / 100, wall_ns * kCore);
}

bool OverheadBudget::binds(const Seen& seen) const {
  return seen.cost_ns() > allowed_ns(seen.cpu_ns, seen.wall_ns);
}

bool OverheadBudget::fits(const Seen& seen) const {
  return seen.cost_ns() <= kHeadroom * allowed_ns(seen.cpu_ns, seen.wall_ns);
}

bool OverheadBudget::would_fit(const Seen& seen, double whole_pct) const {
  const double share = std::min(whole_pct / 100, 1 - kOwn);
  const double own_ns = std::max(0.0, seen.cpu_ns - seen.cost_ns());
  const double cost_ns = own_ns * share / (1 - share);
  return cost_ns <= kHeadroom * allowed_ns(own_ns + cost_ns, seen.wall_ns);
}

bool OverheadBudget::may_see_all(const Seen& seen, const std::vector<bool>& see_all,
                                 double away_pct, bool spare) const {
  const double most = kSeeAll * (spare ? kHeadroom : 1);
  const double cost_ns = cost_of(see_all, seen) + seen.cpu_ns * away_pct / 100;
  return cost_ns <= most * allowed_ns(seen.cpu_ns, seen.wall_ns);
}

std::vector<bool> OverheadBudget::kept(const Seen& seen, const std::vector<bool>& see_all) const {
  const size_t n = seen.loads.size();
  const double own_ns = std::max(seen.cpu_ns - seen.cost_ns(), seen.cpu_ns * kOwn);
  // What may be spent where calls cost that much: the same work in the time that it takes then,
  // which is shorter by what one core is spared; on several by the same part at most.
  const auto allowed = [&](double cost_ns) {
    const double cpu_ns = std::min(seen.cpu_ns, own_ns + cost_ns);
    const double part = seen.cpu_ns > 0 ? cpu_ns / seen.cpu_ns : 1;
    const double wall_ns = seen.wall_ns - (seen.cpu_ns - cpu_ns);
    return allowed_ns(cpu_ns, std::max(wall_ns, seen.wall_ns * part));
  };
  std::vector<bool> out(n);
  double cost_ns = cost_of(see_all, seen);
  if (cost_ns <= kSeeAll * allowed(cost_ns))
    for (size_t i = 0; i < see_all.size(); ++i) out[i] = see_all[i];
  else
    cost_ns = 0;
  double patched_ns = 0;
  for (size_t i = 0; i < n; ++i)
    if (seen.loads[i].patched && !out[i]) patched_ns += seen.loads[i].cost_ns;
  if (cost_ns + patched_ns <= kHeadroom * allowed(cost_ns + patched_ns)) {
    cost_ns += patched_ns;
    for (size_t i = 0; i < n; ++i) out[i] = out[i] || seen.loads[i].patched;
  }
  std::vector<size_t> others;
  for (size_t i = 0; i < n; ++i)
    if (!out[i]) others.push_back(i);
  std::ranges::sort(others, {}, [&](size_t i) { return seen.loads[i].cost_ns; });
  for (const size_t i : others) {
    const double its = seen.loads[i].cost_ns, may = allowed(cost_ns + its);
    const bool dear = its >= kCheap * may || cost_ns + its + seen.beside_ns > kHeadroom * may;
    if (dear && its > 0 && seen.loads[i].calls >= kFewCalls) continue;
    cost_ns += its;
    out[i] = true;
  }
  return out;
}

TransferBudget::Decision TransferBudget::look(const Seen& seen, uint64_t now_ns) {
  if (away_) {
    if (now_ns < ends_ns_) return Decision::kNothing;
    away_ = was_above_ = false;
    return Decision::kBringBack;
  }
  const double may_ns =
      std::max(kTransferShare * seen.cpu_ns * percent_ / 100, seen.wall_ns * kCore);
  const bool above = seen.transfers_ns > may_ns;
  if (!std::exchange(was_above_, above) || !above) return Decision::kNothing;
  away_ = true;
  length_ns_ = length_ns_ == 0 ? kFirstPauseNs : std::min(2 * length_ns_, kLongestPauseNs);
  ends_ns_ = now_ns + length_ns_;
  return Decision::kTakeAway;
}

}  // namespace compmond::run
