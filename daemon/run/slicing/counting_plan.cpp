// SPDX-License-Identifier: Apache-2.0
#include "slicing/counting_plan.h"

#include <algorithm>

namespace compmond::run {

namespace {

constexpr double kLeast = 0.1;         // of the time: fewer windows say nothing for minutes,
constexpr double kLeastBeside = 0.03;  // but how much comes for each that is received
constexpr int kTooDear = 5;            // so often one after the other below that
constexpr double kAgain = 1.4;         // of what it costs, before all is counted again,
constexpr int kSure = 3;               // so often one after the other
// Of what is counted, around slices; likewise beside receives.
constexpr double kForSlices = 0.5, kForSlicesBeside = 0.75;

}  // namespace

void CountingPlan::learn(double costs, double may, bool received) {
  received_ = received;
  const double share = costs > 0 ? may / costs : kAgain;
  spare_ = share >= kAgain ? spare_ + 1 : 0;
  always_ = always_ ? share >= 1 : spare_ >= kSure;
  const double least = received ? kLeastBeside : kLeast;
  share_ = std::clamp(share, least, 1.0);
  between_ = std::min(between_, share_);
  dear_ = share < least ? dear_ + 1 : 0;
}

bool CountingPlan::too_dear() const { return dear_ >= kTooDear; }

uint64_t CountingPlan::gap_ns(uint64_t length_ns, uint64_t planned_ns) {
  if (always_) return planned_ns;
  const auto length = double(length_ns);
  const double own = length + double(kLead + settle_ns());
  const double for_slices = received_ ? kForSlicesBeside : kForSlices;
  const double least = own / (share_ * for_slices) - length;
  const double gap = std::max(double(planned_ns), least * around(0.75, 1.25));
  const double period = length + gap;
  between_ =
      std::clamp((share_ * period - own) / (period - own), share_ * (1 - for_slices) / 2, 1.0);
  return uint64_t(gap);
}

uint64_t CountingPlan::pause_ns() {
  return uint64_t(double(kWindow) * (1 / between_ - 1) * around(0.5, 1.5));
}

}  // namespace compmond::run
