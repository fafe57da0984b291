// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "counts/spread.h"
#include "counts/strata.h"

namespace compmond::counts {

// Inputs in both ways of telling them apart.
struct Inputs {
  Strata descriptor{}, size{};
  const Strata& by(By way) const { return way == By::kDescriptor ? descriptor : size; }
  void add(const Inputs& other, double factor = 1) {
    for (size_t h = 0; h < kStrata; ++h) {
      descriptor[h] += factor * other.descriptor[h];
      size[h] += factor * other.size[h];
    }
  }
};

// All inputs of a window, whether or not a slice saw them. They add up.
struct RunInputs : Inputs {
  // Of these, where they were counted in a part of the time only.
  Spread descriptor_spread, size_spread;
  // There, too: by how many, at most, they may be more or fewer, all of them alike, as counting
  // slowed the targets more or less than it was taken to.
  Inputs slowed;
  const Spread& spread(By way) const {
    return way == By::kDescriptor ? descriptor_spread : size_spread;
  }
};

}  // namespace compmond::counts
