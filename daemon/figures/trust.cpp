// SPDX-License-Identifier: Apache-2.0
#include "figures/trust.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "text/numbers.h"

namespace compmond::figures {
namespace {

// Whose returns belong to no call of their thread, those with the most first.
std::string strayed(const history::Checkpoint& checkpoint, const NameOf& name_of) {
  constexpr size_t kNamed = 5;
  std::vector<std::pair<uint64_t, OperationId>> all;
  for (OperationId op = 0; op < checkpoint.operations.size(); ++op)
    if (const uint64_t count = checkpoint.operations[op].orphan_exits) all.push_back({count, op});
  std::ranges::stable_sort(all, std::ranges::greater(), &std::pair<uint64_t, OperationId>::first);
  std::string out;
  for (size_t i = 0; i < std::min(all.size(), kNamed); ++i)
    out += fmt::format("{}{} of {}", i > 0 ? ", " : "", text::count(all[i].first),
                       name_of(all[i].second));
  if (all.size() > kNamed)
    out += fmt::format(", and of {}", text::counted(all.size() - kNamed, "other"));
  return out;
}

}  // namespace

bool accounts_hold(const history::Checkpoint& checkpoint) {
  uint64_t calls = 0, orphans = 0, closed[trace::kClosedReasons] = {};
  std::vector<uint64_t> open(checkpoint.operations.size());
  for (const trace::OpenExecution& one : checkpoint.open)
    if (one.op < open.size()) ++open[one.op];
  for (size_t i = 0; i < checkpoint.operations.size(); ++i) {
    const history::OperationTotals& op = checkpoint.operations[i];
    uint64_t sum = open[i];
    for (int reason = 0; reason < trace::kClosedReasons; ++reason) {
      sum += op.closed[reason];
      closed[reason] += op.closed[reason];
    }
    if (op.calls != sum) return false;
    calls += op.calls;
    orphans += op.orphan_exits;
  }
  return checkpoint.capture.balanced() && checkpoint.trace.balanced() &&
         calls == checkpoint.trace.entries && orphans == checkpoint.trace.orphan_exits &&
         std::ranges::equal(closed, checkpoint.trace.closed);
}

bool misses_events(const history::Checkpoint& checkpoint, Window window) {
  const record::Ledger& capture = checkpoint.capture;
  // Of these nobody knows when: threads without a slot, gaps of a log, and what the ring did not
  // take since the latest events of its threads, or was refused of threads that there are not.
  if (capture.lost_slots > 0 || capture.lost_log > 0 ||
      capture.lost_ring + capture.lost_refused > checkpoint.trace.lost_records)
    return true;
  return std::ranges::any_of(checkpoint.losses, [&](const history::Loss& loss) {
    return loss.start_ns < window.end_ns && loss.end_ns > window.start_ns;
  });
}

double lost_share(const history::Checkpoint& checkpoint, const Result& of) {
  const auto in_window = [&](Window when) {
    const auto length = double(when.length());
    const bool begins = when.start_ns >= of.window.start_ns && when.start_ns < of.window.end_ns;
    return length > 0 ? double(common(when, of.window).length()) / length : double(begins);
  };
  double lost = 0, told = 0;
  for (const history::Loss& loss : checkpoint.losses)
    lost += double(loss.records) * in_window({loss.start_ns, loss.end_ns});
  const uint64_t timed = checkpoint.trace.lost_records, all = checkpoint.capture.lost();
  lost +=
      double(all - std::min(all, timed)) * in_window({checkpoint.start_ns, checkpoint.as_of_ns});
  constexpr double kRecordsOfCall = 2;
  for (const Figures& operation : of.operations) told += kRecordsOfCall * double(operation.calls);
  return lost > 0 ? lost / (lost + told) : 0;
}

bool strays(const history::Checkpoint& checkpoint, OperationId op) {
  const history::OperationTotals& totals = checkpoint.operations[op];
  const uint64_t returned = totals.closed[size_t(trace::Closed::kReturned)];
  return checkpoint.trace.stack_switches > 0 &&
         totals.orphan_exits * 100 > returned + totals.orphan_exits;
}

std::vector<std::string> doubts(const history::Checkpoint& checkpoint, const NameOf& name_of,
                                bool were_off) {
  const trace::Ledger& ledger = checkpoint.trace;
  std::vector<std::string> out;
  if (ledger.absent_contexts > 0)
    out.push_back(
        fmt::format("{} of the ids that arguments name could not be read (not in memory then, or "
                    "longer than 64 bytes): these calls are in traces of their threads",
                    ledger.absent_contexts));
  if (ledger.stack_switches > 0 && ledger.orphan_exits > 0)
    out.push_back(fmt::format(
        "{} belong to no call of their thread, and threads change stacks: {}where a fiber went on "
        "on another thread, or was not known at first, as many calls are shown as open, abandoned "
        "or ended with their thread, though they returned, with times of their own: {}",
        text::counted(ledger.orphan_exits, "return", "returns"),
        were_off ? "they began while their probes were switched off, or " : "",
        strayed(checkpoint, name_of)));
  return out;
}

}  // namespace compmond::figures
