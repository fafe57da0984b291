// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "counts/counts.h"
#include "present/estimated.h"
#include "present/known.h"
#include "snapshot/doubt.h"
#include "text/numbers.h"

namespace compmond::present {
namespace {

// "4 may depend on load, 2 too hot to slice".
std::string joined(const std::map<std::string, uint64_t>& reasons) {
  std::string out;
  for (const auto& [reason, operations] : reasons)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", operations, reason);
  return out;
}

// Before there is a figure.
std::string so_far(const CountsTold& counts) {
  if (!counts.slices) return fmt::format("calls not told ({})", joined(counts.reasons));
  const bool longer = counts.slices_of_run >= 2 * counts::kEnoughSlices;
  return fmt::format("calls: {} of {} slices {}", *counts.slices, counts::kEnoughSlices,
                     longer ? fmt::format("in this window, {} since start: a longer one tells more",
                                          text::count(counts.slices_of_run))
                            : "so far");
}

std::string of_slices(const CountsTold& counts) {
  if (counts.known == 0) return so_far(counts);
  const std::string others = joined(counts.reasons);
  return fmt::format("calls from {} of the time (≈ ±{} for {}{}{})",
                     text::whole_percent(100 * counts.share),
                     text::whole_percent(std::ceil(100 * counts.widest)), counts.known,
                     others.empty() ? "" : "; ", others);
}

// Where there are no slices, or none has told yet what operations lack.
std::string of_seen(const RunParts& run, Window window, const snapshot::Snapshot& out) {
  size_t all = 0;
  for (const snapshot::Component& component : out.components)
    for (const snapshot::Operation& operation : component.operations)
      all += operation.figures.seen && operation.exit_mode != snapshot::ExitMode::kRefused;
  const std::vector<size_t> away = missed_in(run, window);
  double least = 1, most = 0;
  for (const size_t operation : away) {
    const double share = observed_share(run, {operation}, window);
    least = std::min(least, share);
    most = std::max(most, share);
  }
  const std::string low = text::whole_percent(100 * least), high = text::whole_percent(100 * most);
  return fmt::format("calls of {} of {} operations from {} of the time", away.size(), all,
                     low == high || away.empty() ? high : low + " to " + high);
}

// Whether calls can be seen otherwise than by probes in this run.
bool has_other_ways(const RunParts& run) {
  return std::ranges::any_of(run.plan.operations, [](const plan::PlannedOperation& op) {
    return std::ranges::any_of(op.ways, [&](const plan::Way& way) {
      return !way.sampled() && way.engine != op.ways.front().engine;
    });
  });
}

// Of the targets' CPU time, what patched functions take where probes take `pct` of it: as many
// calls, a call some 30 ns (bench/: 15 to 40), beside the same work.
double patched_pct(const RunParts& run, double pct) {
  constexpr double kPatchedNs = 30;
  double sum = 0, probes = 0;
  for (size_t i = 0; i < run.states.size(); ++i) {
    const double ns = run.costs.at(run.way(i)).total_ns();
    if (run.states[i].refused() || ns <= 0) continue;
    sum += ns;
    ++probes;
  }
  const double patched = probes > 0 ? pct * kPatchedNs / (sum / probes) : 0;
  return 100 * patched / (patched + 100 - pct);
}

// With what all probes took when all were there last. Where that was nearly all, what the program
// would call without them nobody knows.
std::string remedy(const RunParts& run) {
  constexpr double kNearlyAll = 90;
  const double pct = run.states.busy().whole_pct;
  const auto about = [](double of) { return fmt::format(" (≈ {})", text::whole_percent(of)); };
  std::string probes, patches;
  if (pct > kNearlyAll)
    probes = fmt::format(" (> {})", text::whole_percent(kNearlyAll));
  else if (pct > 0)
    probes = about(pct), patches = about(patched_pct(run, pct));
  const std::string patched =
      has_other_ways(run) ? "" : fmt::format("--allow-patching{}, ", patches);
  return fmt::format("Exact: {}--max-overhead off{}, or fewer operations", patched, probes);
}

}  // namespace

void note_away(const RunParts& run, Window window, const std::optional<CountsTold>& counts,
               snapshot::Snapshot& out) {
  if (!out.health.samples || !busy_in(run, window)) return;
  const bool busy = std::ranges::any_of(run.states.busy().spans, [&](const Window& span) {
    return common(span, window).length() > 0;
  });
  const std::string calls =
      busy && counts && counts->share > 0 ? of_slices(*counts) : of_seen(run, window, out);
  out.health.notes.insert(
      out.health.notes.begin(),
      busy ? fmt::format("{}time from samples; {}. {}", snapshot::kBusyNote, calls, remedy(run))
           : fmt::format("{}: time from samples; {}",
                         off_in(run, window) ? "probes are or were switched off"
                                             : "probes were away for a moment",
                         calls));
}

}  // namespace compmond::present
