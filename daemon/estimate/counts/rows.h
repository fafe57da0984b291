// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "counts/run_inputs.h"
#include "counts/slice.h"
#include "counts/stratified.h"

namespace compmond::counts {

enum class Part : uint8_t { kAll, kFirst, kLater };

// Which inputs and calls of slices count, and how they are told apart.
struct Counting {
  By by = By::kDescriptor;
  // Only from an input of a thread to its next one in the same slice: what happens once in many
  // inputs has no part of it outside then. Requests longer than a slice are never seen so.
  bool cycles = false;
  Part part = Part::kAll;
};

// A slice with its inputs added up in each way, once for all items.
class AddedUp {
 public:
  explicit AddedUp(const Slice& slice);  // which must outlive it
  const Slice& slice() const { return *slice_; }
  const Strata& inputs(Counting counting) const;
  Strata calls(Item item, Counting counting) const;

 private:
  static constexpr size_t kCountings = 2 * 2 * 3;
  const Slice* slice_;
  std::array<Strata, kCountings> inputs_;
};
using Slices = std::vector<const AddedUp*>;

// What these slices tell of an item in the window; complete cycles have no edges.
std::optional<Stratified> told(std::span<const AddedUp* const> slices, Item item, Counting counting,
                               const RunInputs& window);

// The calls of it that were seen, per stratum.
Strata calls_of(std::span<const AddedUp* const> slices, Item item, Counting counting);

}  // namespace compmond::counts
