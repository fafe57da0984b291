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

bool missed(const trace::Begun& open, uint64_t now_ns, const Model& model) {
  return model.objectives.missed(open.op, since(open.start_ns, now_ns));
}

// One that has ended since, as it stood at `now_ns`.
Single still_open(Execution e, uint64_t now_ns) {
  e.end_ns = now_ns;
  e.nested_ns = std::min(e.nested_ns, now_ns - e.start_ns);
  return {e, true};
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
  const uint64_t now = std::min(window.end_ns, checkpoint.as_of_ns);
  for (const OpenExecution& open : checkpoint.open) {
    if (open.start_ns > now || !missed(open, now, model)) continue;
    const Single single = as_single(open, now);
    if (overlaps(single.execution, open_ended) && passes(single.execution)) out.push_back(single);
  }
  for (size_t i = 0; i < checkpoint.violations.kept(); ++i) {
    const Execution& e = checkpoint.violations.newest(i);
    if (e.start_ns < open_ended.end_ns && e.end_ns >= open_ended.end_ns && missed(e, now, model) &&
        passes(e))
      out.push_back(still_open(e, now));
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
  const auto open = std::ranges::count_if(checkpoint.open, [&](const OpenExecution& one) {
    return missed(one, checkpoint.as_of_ns, model);
  });
  return checkpoint.violations.total() + uint64_t(open);
}

std::optional<Single> first_violation(const history::Checkpoint& checkpoint, const Model& model) {
  if (const auto& first = checkpoint.violations.first()) return Single{*first, false};
  std::optional<Single> out;
  uint64_t furthest_ns = 0;
  for (const OpenExecution& open : checkpoint.open) {
    if (!missed(open, checkpoint.as_of_ns, model)) continue;
    const uint64_t above_ns =
        since(open.start_ns, checkpoint.as_of_ns) - model.objectives.of(open.op);
    if (above_ns <= furthest_ns) continue;
    furthest_ns = above_ns;
    out = as_single(open, checkpoint.as_of_ns);
  }
  return out;
}

}  // namespace compmond::figures
