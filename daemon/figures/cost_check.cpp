// SPDX-License-Identifier: Apache-2.0
#include "figures/cost_check.h"

#include <algorithm>
#include <cmath>

#include "figures/call_costs.h"

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

// Most of what ended has returned, and so often that the median is no accident.
bool speaks(const history::OperationTotals& totals) {
  uint64_t ended = 0;
  for (const uint64_t count : totals.closed) ended += count;
  const uint64_t returned = totals.closed[size_t(trace::Closed::kReturned)];
  return totals.entry_only == 0 && returned >= kSpeaks && returned >= ended - ended / 20;
}

double total_ns(const Model& model, std::span<const int> class_of, std::span<const double> shares,
                const history::Checkpoint& checkpoint) {
  const CallCosts costs = call_costs(model, checkpoint);
  double out = 0;
  for (OperationId op = 0; op < checkpoint.operations.size(); ++op)
    if (class_of[op] >= 0)
      out += double(checkpoint.operations[op].calls) * costs.total_ns(op) *
             shares[size_t(class_of[op])];
  return out;
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

std::vector<double> possible_shares(const Model& model, std::span<const int> class_of,
                                    const history::Checkpoint& checkpoint, uint64_t cpu_ns) {
  const int classes = class_of.empty() ? 0 : 1 + *std::ranges::max_element(class_of);
  std::vector<double> out(size_t(std::max(classes, 0)), 1);
  for (OperationId op = 0; op < checkpoint.operations.size(); ++op) {
    const history::OperationTotals& totals = checkpoint.operations[op];
    if (class_of[op] < 0 || model.inside_ns[op] <= 0 || !speaks(totals)) continue;
    const double share = double(totals.raw.quantile(kMedian)) / model.inside_ns[op];
    if (share < kAgrees) out[size_t(class_of[op])] = std::min(out[size_t(class_of[op])], share);
  }
  if (cpu_ns < kCpuSpeaksNs) return out;
  const double cost_ns = total_ns(model, class_of, out, checkpoint);
  if (cost_ns > double(cpu_ns))
    for (double& share : out) share *= double(cpu_ns) / cost_ns;
  return out;
}

}  // namespace compmond::figures
