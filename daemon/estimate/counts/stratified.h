// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "counts/spread.h"
#include "counts/strata.h"

namespace compmond::counts {

// What one slice tells of one item: inputs and calls per stratum.
struct Row {
  const Strata* inputs = nullptr;  // borrowed
  Strata calls{};
};

// How many calls there were in a window, from slices and from all of its inputs.
struct Stratified {
  double value = 0;
  Strata per_input{};  // value = Σ of it × inputs of the window
  double error = 0;    // standard error / value
  double edges = 0;    // what the slices' edges may add or hide, alike in all: a part of value
  double inputs = 0, calls = 0;  // seen in slices
  double slowed = 0;  // how wrong it may be at most for what counting slowed: a part of value
  double unseen = 0;  // share of the window's inputs whose strata were in no slice
  size_t slices = 0;  // with inputs
};

// Post-stratified: Σ over strata of N (x + R/2) / (n + 1/2), with N the inputs of the window, n and
// x inputs and calls in slices, R = Σx / Σn, to which what was hardly seen is drawn (Cochran,
// Sampling Techniques, 5A.9; each N known, each n by chance). Its error is the jackknife's over
// slices, which no drift between slices fools, and half a call (Efron and Stein, Annals of
// Statistics 9, 1981); that of N is added where N is an estimate.
// Nothing with fewer than 3 slices with inputs, or without a call.
std::optional<Stratified> stratified(std::span<const Row> rows, const Strata& window,
                                     const Spread& window_spread);

}  // namespace compmond::counts
