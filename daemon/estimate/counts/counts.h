// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "counts/run_inputs.h"
#include "counts/slice.h"

// How often something happened in a time in which only slices were seen: calls per input in slices,
// times all inputs of that time. Never by the clock and never by CPU time, since within a slice
// everything is slower. What may depend on that slow-down is not told.
namespace compmond::counts {

// Why there is no estimate.
enum class NotTold : uint8_t {
  kNothing,      // there is one
  kFewSlices,    // so far
  kStopped,      // too few, and none are made just now
  kTooHot,       // alone it would slow the program to less than half its speed
  kWasHot,       // likewise, for a part of the window, in which it was called far more often
  kTooSlowed,    // most slices with it slowed the program too much
  kNotSeen,      // although there were enough slices
  kFewSeen,      // too few calls for an interval that is worth anything
  kVaries,       // enough calls, and yet the interval is too wide
  kNoInputs,     // the program reads nothing that one could count by
  kCarriedOver,  // happens in threads without inputs of their own
  kUncounted,    // its inputs were counted for too little of the time
  kOtherInputs,  // slices lack kinds of inputs that the window has
  kVague,        // may depend on load: too little was seen to know
  kDepends,      // depends on how much the program is slowed
  kCaller,       // is called by what does, or may
  kSwitchedOff,  // somebody did not want it to be seen for a while
};

// Of one item.
struct Count {
  NotTold why = NotTold::kFewSlices;
  // Of one item and several windows, or of several items, values add up. Variances do for windows;
  // errors of items that slices saw together do not average out: their square roots add up.
  double value = 0;
  double variance = 0;  // of the normal distribution that has the interval as its 95 %
  uint64_t seen = 0;    // calls in slices
  uint32_t slices = 0;  // with it, without those that slowed too much
  bool told() const { return why == NotTold::kNothing; }
};

struct Bounds {
  double low = 0, high = 0;
};
Bounds bounds(double value, double variance);  // 95 %; low not below 0

// A part of the calls to `to` that comes from `from`.
struct Caller {
  Item from = 0, to = 0;
  double share = 0;
};

constexpr uint32_t kEnoughSlices = 6;  // of an item: two halves of it can be held together
constexpr double kTooSlow = 2.5;       // slices above tell nothing
constexpr double kUnseen = 0.02;       // of inputs, of kinds that tell nothing: at most
constexpr double kFloor = 0.01;        // half an interval is never less, as a part of the value
constexpr double kWidest = 0.10;       // nor more: what is known no better is not told

// What slices tell of an item: how often it happens per input of each kind.
struct Rate {
  Count count;  // in the window for which it was told
  By by = By::kDescriptor;
  Strata per_input{};  // 0 where that window has no such input
  // In one that is nearly the same. What it has of other kinds of inputs is taken for as much as
  // the rest, and may as well be nothing; where it is too much, nothing is told.
  Count in(const Inputs& window) const;
};

// Of items 0 … items - 1, from the slices in a window and all its inputs. Slices are at random
// times. A thread handles one input at a time: its calls up to the next one belong to it.
std::vector<Rate> rates(std::span<const Slice> slices, const RunInputs& window, size_t items,
                        std::span<const Caller> callers);

// For people, without the number seen: "depends on load", "5 of 8 slices so far".
std::string reason(const Count& count);
// Likewise without numbers, of several: "may depend on load", "in too few slices so far".
std::string kind_of_reason(const Count& count);

}  // namespace compmond::counts
