// SPDX-License-Identifier: Apache-2.0
#include "counts/counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "counts/choice.h"
#include "counts/invariance.h"
#include "counts/student.h"

namespace compmond::counts {

namespace {

constexpr uint64_t kFewestCalls = 5;
constexpr double kCarried = 0.02;   // of an item's calls
constexpr double kInherits = 0.05;  // of the calls to an item, from what depends on load

double inputs_of(const RunInputs& window) {
  return std::accumulate(window.descriptor.begin(), window.descriptor.end(), 0.0);
}

// What is known of one item on the way to its count.
struct Judged {
  Slices slices;  // not too slow
  std::optional<Choice> choice;
  Tested tested;
  double carried = 0;  // calls without an input before, of the others
  Count count;
};

// The reason that needs no estimate to be known.
NotTold before(const Judged& judged, uint64_t carried, uint32_t too_slow, bool inputs) {
  const Count& count = judged.count;
  if (!inputs) return NotTold::kNoInputs;
  if (count.slices < kEnoughSlices)
    return too_slow > count.slices ? NotTold::kTooSlowed : NotTold::kFewSlices;
  if (count.seen == 0) return NotTold::kNotSeen;
  if (double(carried) > kCarried * double(count.seen)) return NotTold::kCarriedOver;
  return count.seen < kFewestCalls ? NotTold::kFewSeen : NotTold::kNothing;
}

// Per input. What both have is so little that it may be by chance: they agree.
struct PerInput {
  double calls = 0, inputs = 0;
  bool agrees(const PerInput& other) const {
    constexpr double kMost = 2;
    const double mine = calls * other.inputs, others = other.calls * inputs;
    if (calls + other.calls < 2 * double(kFewestCalls)) return true;
    return mine <= kMost * others + double(kFewestCalls) * other.inputs &&
           others <= kMost * mine + double(kFewestCalls) * inputs;
  }
};

Judged judge(std::span<const AddedUp> slices, const RunInputs& window, Item item) {
  Judged out;
  uint64_t carried = 0;
  uint32_t too_slow = 0;
  PerInput slowed, others;
  for (const AddedUp& added_up : slices) {
    const Slice& slice = added_up.slice();
    if (!slice.has(item)) continue;
    PerInput& to = slice.slow_down > kTooSlow ? slowed : others;
    for (const double inputs : added_up.inputs({})) to.inputs += inputs;
    if (const auto found = slice.calls.find(item); found != slice.calls.end())
      for (const auto& [cell, calls] : found->second) {
        out.count.seen += calls;
        to.calls += calls;
        if (cell.carried) carried += calls;
      }
    if (slice.slow_down > kTooSlow)
      ++too_slow;
    else
      out.slices.push_back(&added_up);
  }
  out.count.slices = uint32_t(out.slices.size());
  out.count.why = before(out, carried, too_slow, inputs_of(window) > 0);
  // What they saw happened, although they do not tell how often.
  if (out.count.told() && !slowed.agrees(others)) out.count.why = NotTold::kTooSlowed;
  if (!out.count.told()) return out;
  out.carried = double(carried) / double(out.count.seen - carried);
  out.choice = choose(out.slices, item, window);
  if (!out.choice) {
    out.count.why = NotTold::kOtherInputs;
    return out;
  }
  out.tested = test(out.slices, item, out.choice->counting, window);
  return out;
}

// What is called by something that no slice had: nobody knows whether that depends on load. What is
// there all the time is seen by slices, although none has it.
void find_called_by_unknown(std::vector<Judged>& judged, std::span<const Slice> slices,
                            std::span<const Caller> callers) {
  const auto unknown = [&](Item item) {
    return judged[item].slices.empty() && std::ranges::none_of(slices, [&](const Slice& s) {
             return s.saw(item) && !s.has(item);
           });
  };
  std::vector<double> from(judged.size());
  for (const Caller& c : callers)
    if (c.from < judged.size() && c.to < judged.size() && c.from != c.to && unknown(c.from))
      from[c.to] += c.share;
  for (size_t i = 0; i < judged.size(); ++i) judged[i].tested.by_itself = from[i] > kInherits;
}

void pool_all(std::vector<Judged>& judged) {
  for (const By by : kWays) {
    std::vector<Tested*> together;
    for (Judged& one : judged)
      if (one.choice && one.choice->counting.by == by) together.push_back(&one.tested);
    pool(std::move(together));
  }
}

void conclude(Judged& judged) {
  if (!judged.choice) return;
  Count& count = judged.count;
  if (judged.tested.verdict != Verdict::kHolds) {
    count.why = judged.tested.verdict == Verdict::kDrifts ? NotTold::kDepends : NotTold::kVague;
    return;
  }
  // What may still change from slices to the time between them is part of the interval.
  const double width = std::hypot(judged.choice->half_width, judged.tested.drift);
  if (width > kWidest) {
    // By chance alone, as many calls seen as that are as far off.
    const bool few = student(1e9) / std::sqrt(double(count.seen)) > kWidest;
    count.why = few ? NotTold::kFewSeen : NotTold::kVaries;
    return;
  }
  count.value = judged.choice->value;
  const double half = std::max(kFloor, width) * count.value;
  // No input tells how often those happen that have none before: as often as in slices, or not at
  // all, or twice as often.
  const double more = judged.carried * count.value;
  count.value += more;
  count.variance = std::pow(std::hypot(half, more) / student(1e9), 2);
}

bool may_depend(NotTold why) {
  return why == NotTold::kDepends || why == NotTold::kVague || why == NotTold::kCaller;
}

// Until nothing more is inherited: callers of callers count too.
void inherit(std::vector<Rate>& rates, std::span<const Caller> callers) {
  for (bool more = true; more;) {
    more = false;
    std::vector<double> from(rates.size());
    for (const Caller& c : callers)
      if (c.from < rates.size() && c.to < rates.size() && c.from != c.to &&
          may_depend(rates[c.from].count.why))
        from[c.to] += c.share;
    for (size_t i = 0; i < rates.size(); ++i)
      if (Count& count = rates[i].count; count.told() && from[i] > kInherits) {
        count.why = NotTold::kCaller;
        count.value = count.variance = 0;
        more = true;
      }
  }
}

}  // namespace

Bounds bounds(double value, double variance) {
  const double half = student(1e9) * std::sqrt(variance);
  return {std::max(0.0, value - half), value + half};
}

Count Rate::in(const Inputs& window) const {
  if (!count.told()) return count;
  Count out = count;
  double known = 0, unknown = 0;
  out.value = 0;
  for (size_t h = 0; h < kStrata; ++h) {
    (per_input[h] > 0 ? known : unknown) += window.by(by)[h];
    out.value += window.by(by)[h] * per_input[h];
  }
  if (unknown > kUnseen * (known + unknown))
    return {NotTold::kOtherInputs, 0, 0, count.seen, count.slices};
  const double more = known > 0 ? out.value / known * unknown : 0;
  out.value += more;
  out.variance =
      out.variance * std::pow(out.value / count.value, 2) + std::pow(more / student(1e9), 2);
  return out;
}

std::vector<Rate> rates(std::span<const Slice> slices, const RunInputs& window, size_t items,
                        std::span<const Caller> callers) {
  const std::vector<AddedUp> added_up(slices.begin(), slices.end());
  std::vector<Judged> judged;
  for (size_t i = 0; i < items; ++i) judged.push_back(judge(added_up, window, Item(i)));
  find_called_by_unknown(judged, slices, callers);
  pool_all(judged);
  std::vector<Rate> out;
  for (Judged& one : judged) {
    conclude(one);
    out.push_back({one.count});
    if (!one.choice) continue;
    out.back().by = one.choice->counting.by;
    out.back().per_input = one.choice->per_input;
    for (double& calls : out.back().per_input) calls *= 1 + one.carried;
  }
  inherit(out, callers);
  return out;
}

std::string reason(const Count& count) {
  switch (count.why) {
    case NotTold::kNothing:
      return "";
    case NotTold::kFewSlices:
      return fmt::format("{} of {} slices so far", count.slices, kEnoughSlices);
    case NotTold::kStopped:
      return "no slices are made just now: see the notes";
    case NotTold::kTooHot:
      return "too hot to slice: its probes alone would take more than half of a thread's time";
    case NotTold::kWasHot:
      return "was too hot to slice in a part of the window, and called far more often then";
    case NotTold::kTooSlowed:
      return fmt::format("slices with it slow the program to more than ×{:g}", kTooSlow);
    case NotTold::kNotSeen:
      return fmt::format("not seen in {} slices", count.slices);
    case NotTold::kFewSeen:
      return "hardly seen in slices";
    case NotTold::kVaries:
      return fmt::format("varies too much to be told within ±{:.0f} %", 100 * kWidest);
    case NotTold::kNoInputs:
      return "the program reads nothing to count by";
    case NotTold::kCarriedOver:
      return "called by threads that read nothing to count by";
    case NotTold::kUncounted:
      return "what the program reads was counted for too little of the time";
    case NotTold::kOtherInputs:
      return "inputs unlike those in slices";
    case NotTold::kVague:
      return "not known yet whether it depends on load";
    case NotTold::kDepends:
      return "depends on load";
    case NotTold::kCaller:
      return "its callers depend on load, or may";
    case NotTold::kSwitchedOff:
      return "switched off, or it was for a part of the window";
  }
  return "";
}

std::string kind_of_reason(const Count& count) {
  switch (count.why) {
    case NotTold::kTooHot:
      return "too hot to slice";
    case NotTold::kWasHot:
      return "too hot to slice for a while";
    case NotTold::kStopped:
      return "without slices";
    case NotTold::kFewSlices:
      return "in too few slices so far";
    case NotTold::kVaries:
      return "vary too much";
    case NotTold::kVague:
    case NotTold::kDepends:
    case NotTold::kCaller:
      return "may depend on load";
    case NotTold::kTooSlowed:
      return "slowed too much by slices";
    case NotTold::kSwitchedOff:
      return "switched off for a time";
    case NotTold::kNotSeen:
      return "not seen";
    case NotTold::kFewSeen:
      return "hardly seen";
    case NotTold::kNoInputs:
      return "without inputs";
    case NotTold::kCarriedOver:
      return "in threads without inputs";
    case NotTold::kUncounted:
      return "with too few inputs counted";
    case NotTold::kOtherInputs:
      return "with other inputs";
    case NotTold::kNothing:
      break;
  }
  return "";
}

}  // namespace compmond::counts
