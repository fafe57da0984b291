// SPDX-License-Identifier: Apache-2.0
#include "counts/spread.h"

namespace compmond::counts {

void Spread::add(const Strata& error) {
  covariances_.resize(kStrata * kStrata);
  for (size_t a = 0; a < kStrata; ++a) {
    if (error[a] == 0) continue;
    for (size_t b = 0; b < kStrata; ++b) covariances_[a * kStrata + b] += error[a] * error[b];
  }
}

void Spread::add(const Spread& other, double factor) {
  if (other.none()) return;
  covariances_.resize(kStrata * kStrata);
  for (size_t i = 0; i < covariances_.size(); ++i)
    covariances_[i] += factor * other.covariances_[i];
}

double Spread::variance(const Strata& per_input) const {
  if (none()) return 0;
  double out = 0;
  for (size_t a = 0; a < kStrata; ++a) {
    if (per_input[a] == 0) continue;
    for (size_t b = 0; b < kStrata; ++b)
      out += per_input[a] * covariances_[a * kStrata + b] * per_input[b];
  }
  return out;
}

}  // namespace compmond::counts
