// SPDX-License-Identifier: Apache-2.0
#include "budget/busy_watch.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace compmond::run {
namespace {

// After an alarm no more of what calls cost is to be there: a thread may be flooded in a program
// that has time enough.
constexpr double kLeftByAlarm = 0.25;

bool any_away(const plan::OperationStates& states) {
  return std::ranges::any_of(states, &plan::OperationState::paused);
}

}  // namespace

// What must see every call stays at an alarm, unless it is the flood itself: the moment before it
// is short and mostly probes, and does not tell what they take of a time without these. Looks do.
std::vector<bool> BusyWatch::stays(const Seen& seen, bool alarm) const {
  std::vector<bool> out = budget_.kept(seen, see_all_);
  for (size_t i = 0; alarm && i < out.size(); ++i) out[i] = out[i] || must(i);
  return out;
}

// Whose probes go: those that do not stay; where an alarm says that this is not enough, the
// dearest, and of these those last that must see every call.
std::vector<size_t> BusyWatch::dear(const Seen& seen, const plan::OperationStates& states,
                                    const std::vector<bool>& stays, bool alarm) const {
  std::vector<size_t> out, rest;
  double all = 0, gone = 0;
  for (size_t i = 0; i < states.size(); ++i) {
    if (!states[i].attached() || seen.loads[i].cost_ns <= 0) continue;
    if (alarm && seen.loads[i].patched) continue;  // it is of the kernel's probes
    all += seen.loads[i].cost_ns;
    if (!stays[i]) gone += seen.loads[i].cost_ns;
    (stays[i] ? rest : out).push_back(i);
  }
  const auto dearest_first = [&](std::vector<size_t>& of) {
    std::ranges::stable_sort(of, std::greater(), [&](size_t i) { return seen.loads[i].cost_ns; });
  };
  dearest_first(rest);
  std::ranges::stable_partition(rest, [this](size_t i) { return !must(i); });
  for (const size_t i : rest) {
    if (!alarm || all - gone <= kLeftByAlarm * all) break;
    gone += seen.loads[i].cost_ns;
    out.push_back(i);
  }
  dearest_first(out);
  return out;
}

void BusyWatch::pause(bool longer, uint64_t now_ns) {
  pause_ns_ = longer ? std::min(2 * pause_ns_, kLongestPauseNs) : kFirstPauseNs;
  put_off(now_ns);
}

void BusyWatch::put_off(uint64_t now_ns) {
  trying_ = false;
  taken_ns_ = now_ns;
  next_try_ns_ = now_ns + pause_ns_;
}

BusyWatch::Decision BusyWatch::look(const Seen& seen, const plan::OperationStates& states,
                                    bool alarm, uint64_t now_ns, const Sliced& sliced) {
  Decision out;
  const bool busy = states.busy().now(), tried = std::exchange(trying_, false);
  const bool above = budget_.binds(seen) || (busy && !budget_.may_see_all(seen, see_all_));
  const bool before = std::exchange(was_above_, above);
  const bool any_off = std::ranges::any_of(states, &plan::OperationState::is_off);
  if (!any_away(states) && !any_off && seen.cost_ns() > 0) out.whole_pct = seen.cost_pct();
  if (out.whole_pct > 0) whole_pct_ = out.whole_pct;
  if (tried && !alarm && budget_.fits(seen)) {
    out.whole = true;
    whole_since_ns_ = now_ns;
    return out;
  }
  if (alarm || tried || (above && before)) {
    out.take_away = dear(seen, states, stays(seen, alarm), alarm);
    std::ranges::copy_if(out.take_away, std::back_inserter(out.unseen),
                         [this](size_t i) { return must(i); });
    was_above_ = false;
    if (!out.take_away.empty()) {
      const bool soon = !busy && pause_ns_ > 0 && now_ns - whole_since_ns_ < pause_ns_;
      pause(soon || tried, now_ns);
      return out;
    }
  }
  if (!busy) return out;
  if (!budget_.would_fit(seen, whole_pct_)) loud_ns_ = now_ns;
  const bool quiet = now_ns >= std::max(taken_ns_, loud_ns_) + kFirstPauseNs;
  out.whole = !any_away(states);  // a try that took nothing away again
  if (out.whole) whole_since_ns_ = now_ns;
  const bool may_fit = sliced.all_fit ? *sliced.all_fit && now_ns >= taken_ns_ + kFirstPauseNs
                                      : now_ns >= next_try_ns_;
  trying_ = out.try_all = !out.whole && (may_fit || quiet);
  if (!out.whole && !out.try_all) out.bring_back = seen_again(seen, states, sliced, now_ns);
  return out;
}

// At the earliest when a try of all would be.
std::vector<size_t> BusyWatch::seen_again(const Seen& seen, const plan::OperationStates& states,
                                          const Sliced& sliced, uint64_t now_ns) const {
  std::vector<size_t> out;
  if (!sliced.see_all_pct || now_ns < taken_ns_ + kFirstPauseNs ||
      !budget_.may_see_all(seen, see_all_, *sliced.see_all_pct, true))
    return out;
  for (size_t i = 0; i < states.size(); ++i)
    if (must(i) && states[i].paused()) out.push_back(i);
  return out;
}

}  // namespace compmond::run
