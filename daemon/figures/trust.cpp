// SPDX-License-Identifier: Apache-2.0
#include "figures/trust.h"

#include <fmt/format.h>

#include <algorithm>

namespace compmond::figures {

bool accounts_hold(const history::Checkpoint& checkpoint) {
  uint64_t calls = 0, closed[trace::kClosedReasons] = {};
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
  }
  return checkpoint.capture.balanced() && checkpoint.trace.balanced() &&
         calls == checkpoint.trace.entries && std::ranges::equal(closed, checkpoint.trace.closed);
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

std::vector<std::string> doubts(const trace::Ledger& ledger) {
  std::vector<std::string> out;
  if (ledger.absent_contexts > 0)
    out.push_back(
        fmt::format("{} of the ids that arguments name could not be read (not in memory then, or "
                    "longer than 64 bytes): these calls are in traces of their threads",
                    ledger.absent_contexts));
  if (ledger.stack_switches > 0 && ledger.orphan_exits > 0)
    out.push_back(fmt::format(
        "{} returns belong to no call of their thread, and threads change stacks: where a fiber "
        "went on on another thread its calls are shown as open, abandoned or ended with the first "
        "thread, though they returned",
        ledger.orphan_exits));
  return out;
}

}  // namespace compmond::figures
