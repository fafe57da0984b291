// SPDX-License-Identifier: Apache-2.0
#include "slicing/slice_planner.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace compmond::run {

using plan::See;

namespace {

constexpr double kMostLoad = SlicePlanner::kMostLoad;
constexpr double kLeastCap = 0.5;  // a slice's own cap is drawn from here to 1, as a part of that
constexpr double kUnknown = 0.25;  // the load of what was never seen: at most four at a time
constexpr double kManyMore = 0.5;  // of the load of calls, that of their entries
constexpr uint64_t kTold = 12;     // slices: by then an operation is told as a rule
constexpr double kEver = 1e9;      // more than any load
constexpr uint64_t kShortest = 50'000'000, kLongest = 75'000'000;
constexpr double kMostDuty = 0.25;  // of the time, even where slices cost nothing

}  // namespace

SlicePlanner::SlicePlanner(const Loads& loads, Options options)
    : loads_(loads),
      options_(std::move(options)),
      random_(options_.seed),
      with_calls_(options_.operations),
      times_(options_.operations) {}

double SlicePlanner::charge(double slice_ns, double slow_down, double lost_ns, double period_ns) {
  return (slice_ns * (1 - 1 / slow_down) + lost_ns) / period_ns;
}

std::vector<bool> SlicePlanner::too_hot() const { return too_hot(See::kEntries); }

std::vector<bool> SlicePlanner::too_hot(See see) const {
  std::vector<bool> out(times_.size());
  for (size_t i = 0; i < out.size(); ++i) out[i] = loads_.of(i, see).value_or(0) > kMostLoad;
  return out;
}

See SlicePlanner::next_see(const std::vector<bool>& away) {
  const double calls = loads_.of(away, See::kCalls, kUnknown);
  const double entries = loads_.of(away, See::kEntries, kUnknown);
  const std::vector<bool> hot = too_hot(See::kCalls), never = too_hot();
  bool only_so = false, all_told = true;
  for (size_t i = 0; i < away.size(); ++i) {
    only_so |= away[i] && hot[i] && !never[i];
    all_told &= !away[i] || never[i] || times_[i] >= kTold;
  }
  const bool many_more = calls > kMostLoad && entries < kManyMore * calls;
  const bool turn = in_a_row_ < (all_told ? 1 : 2);
  const bool now = turn && (only_so || many_more);
  in_a_row_ = now ? in_a_row_ + 1 : 0;
  return now ? See::kEntries : See::kCalls;
}

// Where all fit, every other slice has all of them, and the rest less: what depends on how much
// slices slow can only be told where that differs.
double SlicePlanner::draw_cap(double all) {
  const double part = std::uniform_real_distribution(kLeastCap, 1.0)(random_);
  if (all > kMostLoad) return part * kMostLoad;
  return std::bernoulli_distribution()(random_) ? kMostLoad : part * all;
}

// Those first that were in the fewest slices. Where there is no room for all, what costs little
// comes before the rest until it can be told, so that as many as possible are told early; then it
// comes more often. Never one after the other, since each one's slices have to be spread over the
// run.
std::vector<size_t> SlicePlanner::draw_order(See see, bool all_fit) {
  const std::vector<uint64_t>& times = see == See::kCalls ? with_calls_ : times_;
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < times.size(); ++i) {
    const double load = loads_.of(i, see, kUnknown);
    const double about = load * std::exp2(std::uniform_real_distribution(-1.0, 1.0)(random_));
    const double later = kEver + double(times[i]) * std::sqrt(load);
    order.emplace_back(all_fit ? double(times[i]) : times[i] < kTold ? about : later, i);
  }
  std::ranges::shuffle(order, random_);
  std::ranges::stable_sort(order, {}, &std::pair<double, size_t>::first);
  std::vector<size_t> out;
  for (const auto& [key, i] : order) out.push_back(i);
  return out;
}

SlicePlanner::Slice SlicePlanner::next(const std::vector<bool>& away, const Neighbours& neighbours,
                                       double budget, double others_ns) {
  Slice out;
  out.see = next_see(away);
  out.attach.resize(times_.size());
  std::vector<bool> wanted = away;
  const std::vector<bool> hot = too_hot(out.see);
  for (size_t i = 0; i < wanted.size(); ++i) wanted[i] = wanted[i] && !hot[i];
  const double all = loads_.of(wanted, out.see, kUnknown), cap = draw_cap(all);

  double load = 0;
  const auto add = [&](size_t i, double most) {
    const double more = loads_.of(i, out.see, kUnknown);
    if (out.attach[i] || !wanted[i] || load + more > most) return false;
    load += more;
    out.attach[i] = true;
    ++times_[i];
    if (out.see == See::kCalls) ++with_calls_[i];
    return true;
  };
  // The first one in any case: else what is nearly too hot would never come.
  for (bool first = true; const size_t i : draw_order(out.see, all <= kMostLoad))
    if (add(i, first ? kMostLoad : cap)) {
      first = false;
      for (const size_t neighbour : neighbours[i]) add(neighbour, cap);
    }

  out.slow_down = 1 + load;
  out.length_ns = std::uniform_int_distribution(kShortest, kLongest)(random_);
  const double lost_ns = options_.lost_per_slice_ns + others_ns;
  const double period = std::max(charge(double(out.length_ns), out.slow_down, lost_ns, 1) / budget,
                                 double(out.length_ns) / kMostDuty);
  const double gap = period - double(out.length_ns);
  out.gap_ns = uint64_t(gap * std::uniform_real_distribution(0.5, 1.5)(random_));
  return out;
}

SlicePlanner::Neighbours neighbours(std::span<const std::pair<uint32_t, uint32_t>> callers,
                                    size_t operations) {
  SlicePlanner::Neighbours out(operations);
  for (const auto& [caller, callee] : callers) {
    if (caller >= operations || callee >= operations || caller == callee) continue;
    out[callee].insert(out[callee].begin(), caller);
    out[caller].push_back(callee);
  }
  return out;
}

}  // namespace compmond::run
