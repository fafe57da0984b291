// SPDX-License-Identifier: Apache-2.0
#include "counts/choice.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "counts/counts.h"
#include "counts/student.h"

namespace compmond::counts {

namespace {

constexpr double kMostCycles = 0.8;  // of the inputs in slices: else long requests are missing
// Nearly as good as the best.
constexpr double kNearly = 1.25, kNearlyPlus = 0.003;

struct Candidate {
  Counting counting;
  Stratified seen;
  double error = 0;  // with the edges
};

struct Candidates {
  std::vector<Candidate> all;  // the best one first
  double unseen = 0;           // share of the window's inputs that are new in one way or the other
};

Candidates candidates(std::span<const AddedUp* const> slices, Item item, const RunInputs& window) {
  Candidates out;
  for (const By by : kWays) {
    double inputs = 0;
    for (const bool cycles : {false, true}) {
      const Counting counting{by, cycles, Part::kAll};
      const auto seen = told(slices, item, counting, window);
      if (seen && !cycles) out.unseen = std::max(out.unseen, seen->unseen);
      if (!seen || seen->unseen > kUnseen) continue;
      if (cycles && seen->inputs < kMostCycles * inputs) continue;
      if (!cycles) inputs = seen->inputs;
      out.all.push_back({counting, *seen, std::hypot(seen->error, seen->edges)});
    }
  }
  std::ranges::stable_sort(out.all, {}, &Candidate::error);
  return out;
}

}  // namespace

std::optional<Choice> choose(std::span<const AddedUp* const> slices, Item item,
                             const RunInputs& window) {
  const auto [all, unseen] = candidates(slices, item, window);
  if (all.empty() || unseen > kWidest) return std::nullopt;
  const Candidate& best = all.front();
  double differ = 0;
  for (const Candidate& other : all)
    if (other.error <= kNearly * best.error + kNearlyPlus)
      differ = std::max(differ, std::abs(other.seen.value / best.seen.value - 1));
  const double t = student(double(best.seen.slices - 1));
  return Choice{best.counting, best.seen.value, best.seen.per_input,
                std::hypot(t * best.error, differ, unseen) + best.seen.slowed};
}

}  // namespace compmond::counts
