// SPDX-License-Identifier: Apache-2.0
#include "traces/trace_log.h"

namespace compmond::traces {

void read_merged(const std::vector<std::unique_ptr<TraceLog>>& logs, traces::TracedSink& sink,
                 const std::function<void()>& tick) {
  constexpr uint64_t kBetweenTicks = 4096;
  for (uint64_t steps = 1;; ++steps) {
    TraceLog* earliest = nullptr;
    uint64_t earliest_ns = 0;
    for (const auto& log : logs) {
      const auto next = log->next_ns();
      if (!next || (earliest && *next >= earliest_ns)) continue;
      earliest = log.get();
      earliest_ns = *next;
    }
    if (!earliest) return;
    earliest->step(sink);
    if (steps % kBetweenTicks == 0) tick();
  }
}

}  // namespace compmond::traces
