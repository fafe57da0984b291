// SPDX-License-Identifier: Apache-2.0
#include "figures/slo.h"

#include <algorithm>

#include "figures/clip.h"
#include "figures/overlap.h"
#include "figures/tally.h"

namespace compmond::figures {
namespace {

using trace::Execution;
using trace::OpenExecution;

bool missed(const OpenExecution& open, const history::Checkpoint& checkpoint, const Model& model) {
  return model.objectives.missed(open.op, since(open.start_ns, checkpoint.as_of_ns));
}

}  // namespace

std::vector<Single> newest_violations(const history::Checkpoint& checkpoint, const Model& model,
                                      Window window, size_t most, const Filter& filter) {
  std::vector<Single> out;
  if (!model.objectives.any()) return out;
  const Sieve sieve(model, filter);
  const Window open_ended = without_end(window, checkpoint);
  const auto passes = [&](const Execution& e) {
    return sieve.passes(e.op, e.thread, e.end_ns - e.start_ns);
  };
  for (const OpenExecution& open : checkpoint.open) {
    if (!missed(open, checkpoint, model)) continue;
    const Single single = as_single(open, checkpoint.as_of_ns);
    if (overlaps(single.execution, open_ended) && passes(single.execution)) out.push_back(single);
  }
  const size_t open = out.size();
  for (size_t i = 0; i < checkpoint.violations.kept(); ++i) {
    const Execution& e = checkpoint.violations.newest(i);
    if (inside(e.end_ns, open_ended) && passes(e)) out.push_back({e, false});
  }
  // As closed, they come thread by thread.
  const auto later = [](const Single& a, const Single& b) {
    return a.execution.end_ns > b.execution.end_ns;
  };
  std::stable_sort(out.begin() + ptrdiff_t(open), out.end(), later);
  if (out.size() > most) out.resize(most);
  return out;
}

uint64_t violations_so_far(const history::Checkpoint& checkpoint, const Model& model) {
  const auto open = std::ranges::count_if(
      checkpoint.open, [&](const OpenExecution& one) { return missed(one, checkpoint, model); });
  return checkpoint.violations.total() + uint64_t(open);
}

std::optional<Single> first_violation(const history::Checkpoint& checkpoint, const Model& model) {
  if (const auto& first = checkpoint.violations.first()) return Single{*first, false};
  std::optional<Single> out;
  uint64_t furthest_ns = 0;
  for (const OpenExecution& open : checkpoint.open) {
    if (!missed(open, checkpoint, model)) continue;
    const uint64_t above_ns =
        since(open.start_ns, checkpoint.as_of_ns) - model.objectives.of(open.op);
    if (above_ns <= furthest_ns) continue;
    furthest_ns = above_ns;
    out = as_single(open, checkpoint.as_of_ns);
  }
  return out;
}

}  // namespace compmond::figures
