// SPDX-License-Identifier: Apache-2.0
#include "figures/cost_check.h"

#include <algorithm>
#include <cmath>

namespace compmond::figures {
namespace {

constexpr double kZ = 1.96;          // of a 95 % interval
constexpr double kCharged = 0.0001;  // below that nothing is charged
constexpr double kFactorMost = 1000;
constexpr double kOff = 0.02;  // as the two points

double factor_of(const CostShares& a, const CostShares& b) {
  const double charged = std::max(a.by_costs + b.by_costs, 2 * kCharged);
  return std::min((a.by_samples + b.by_samples) / charged, kFactorMost);
}

}  // namespace

int apart(const CostShares& shares) {
  const double error = (shares.high - shares.low) / 2 / kZ;
  const double most = std::max(kErrors * error, kPoints);
  if (shares.by_samples - shares.by_costs > most) return 1;
  if (shares.by_costs * (1 - kUnseen) - shares.by_samples > most) return -1;
  return 0;
}

std::optional<CostCheck> check_costs(std::span<const CostShares> shares) {
  if (shares.empty()) return std::nullopt;
  CostCheck out{shares.back(), shares.size()};
  int before = 0;
  for (size_t i = 0; i < shares.size(); ++i) {
    const int side = apart(shares[i]);
    out.apart += side != 0;
    if (side != 0 && side == before &&
        shares[i].interval.start_ns == shares[i - 1].interval.end_ns) {
      out.doubt = true;
      out.factor = factor_of(shares[i - 1], shares[i]);
    }
    before = side;
  }
  return out;
}

bool is_off(const CostCheck& check, uint64_t real_ns, uint64_t net_real_ns) {
  if (!check.doubt || net_real_ns >= real_ns) return false;
  const double taken_out = double(real_ns - net_real_ns);
  return taken_out * std::abs(check.factor - 1) > kOff * double(real_ns);
}

}  // namespace compmond::figures
