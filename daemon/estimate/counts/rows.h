// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "counts/slice.h"
#include "counts/stratified.h"

namespace compmond::estimate {

enum class Part : uint8_t { kAll, kFirst, kLater };

// Which inputs and calls of slices count, and how they are told apart.
struct Counting {
  By by = By::kDescriptor;
  // Only from an input of a thread to its next one in the same slice: what happens once in many
  // inputs has no part of it outside then. Requests longer than a slice are never seen so.
  bool cycles = false;
  Part part = Part::kAll;
};

// What these slices tell of an item in the window; complete cycles have no edges.
std::optional<Stratified> told(std::span<const Slice* const> slices, Item item, Counting counting,
                               const RunInputs& window);

// The calls of it that were seen, per stratum.
Strata calls_of(std::span<const Slice* const> slices, Item item, Counting counting);

}  // namespace compmond::estimate
