// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "counts/strata.h"

namespace compmond::counts {

// How far inputs of strata, which are an estimate, may be off together: their covariances. Those of
// errors that have nothing to do with each other add up.
class Spread {
 public:
  // One error, as much in each stratum as this, one standard error large.
  void add(const Strata& error);
  void add(const Spread& other, double factor = 1);
  bool none() const { return covariances_.empty(); }
  // Of the sum over strata of inputs × `per_input`.
  double variance(const Strata& per_input) const;

 private:
  std::vector<double> covariances_;  // of each stratum with each; empty: all are 0
};

}  // namespace compmond::counts
