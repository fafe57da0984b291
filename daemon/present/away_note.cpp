// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
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

// Of the targets' CPU time, in percent, what two things take together that take so much each when
// the other is not there.
double together_pct(double one, double other) {
  const double per_own = one / (100 - one) + other / (100 - other);
  return 100 * per_own / (1 + per_own);
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

// What watching exceptions and jumps takes of it, which is by probes whatever sees the calls. None:
// nobody saw how many there are.
std::optional<double> transfers_pct(const RunParts& run) {
  const bool watched = std::ranges::any_of(run.plan.transfers, [](const auto& transfer) {
    return plan::watched_by(transfer) != nullptr;
  });
  return watched ? run.states.busy().transfers_pct : std::optional(0.0);
}

// So much that what the program would do without it nobody knows.
constexpr double kNearlyAll = 90;
// Records that one compmond takes, on one CPU, at least and at most: measured, 2 to 4 million a
// second come through where it reads them from a program's memory, a call being two
// (docs/performance.md has what the pipeline alone does, which is more).
constexpr double kRecordsTakenLeast = 2e6, kRecordsTakenMost = 4e6;
constexpr double kRecordsOfCall = 2;

// Whether more is told than can be taken.
enum class Loses { kNot, kPerhaps, kSurely };

// What seeing all takes.
struct Price {
  std::optional<double> pct;  // none: not known
  Loses loses = Loses::kNot;
};

Price price(const RunParts& run, double calls_pct) {
  Price out;
  const plan::Busy& busy = run.states.busy();
  const auto transfers = transfers_pct(run);
  if (busy.whole_pct > 0 && (transfers || calls_pct > kNearlyAll))
    out.pct = together_pct(std::min(calls_pct, 99.0), std::min(transfers.value_or(0), 99.0));
  const record::Ledger& records = run.checkpoint.capture;
  const double own = 1 - out.pct.value_or(calls_pct) / 100;
  if (snapshot::loses_much(records.lost(), records.hits)) out.loses = Loses::kSurely;  // already
  if (kRecordsOfCall * busy.whole_calls_least_s * own > kRecordsTakenMost)
    out.loses = Loses::kSurely;
  else if (out.loses == Loses::kNot &&
           kRecordsOfCall * busy.whole_calls_s * own > kRecordsTakenLeast)
    out.loses = Loses::kPerhaps;
  return out;
}

// "--max-overhead off (≈ 31 %)".
std::string offer(const std::string& flag, const Price& price) {
  std::string out;
  if (price.pct)
    out = *price.pct > kNearlyAll ? fmt::format("> {:.0f} %", kNearlyAll)
          : *price.pct < 1        ? "< 1 %"
                                  : "≈ " + text::whole_percent(*price.pct);
  if (price.loses != Loses::kNot)
    out += fmt::format("{}{}", out.empty() ? "" : "; ",
                       price.loses == Loses::kSurely ? "some calls will be lost, and counted"
                                                     : "calls that are lost are counted");
  return out.empty() ? flag : fmt::format("{} ({})", flag, out);
}

// With what all took when all was there last. Where probes were nearly all, what patched functions
// would take nobody knows.
std::string remedy(const RunParts& run) {
  const double pct = run.states.busy().whole_pct;
  std::string exact, more;
  const auto add = [&](const std::string& flag, const Price& price) {
    (price.loses == Loses::kSurely ? more : exact) += offer(flag, price) + ", ";
  };
  if (!has_other_ways(run)) {
    const Price patched = pct > kNearlyAll ? Price{} : price(run, patched_pct(run, pct));
    const double budget = run.states.busy().budget_pct;  // patches go, too, where they take more
    const bool within = budget == 0 || (transfers_pct(run) && patched.pct.value_or(0) <= budget);
    add(within ? "--allow-patching" : "--engine in-process --allow-patching --max-overhead off",
        patched);
  }
  add("--max-overhead off", price(run, pct));
  if (more.empty()) return fmt::format("Exact: {}or fewer operations", exact);
  more.resize(more.size() - 2);
  return fmt::format("Exact: {}{}fewer operations. More calls: {}", exact,
                     exact.empty() ? "" : "or ", more);
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
