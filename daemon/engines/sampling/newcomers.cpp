// SPDX-License-Identifier: Apache-2.0
#include "sampler/newcomers.h"

#include "base/clock.h"

namespace compmond::sampler {

size_t Newcomers::drain(record::EventSink& sink) {
  now_ns_ = monotonic_ns();
  for (const Sampler::Move& move : sampler_.take_moves()) {
    const auto pid = uint32_t(move.pid);
    if (!move.left) {
      here_[move.pid] = next_;
      sink.on_thread(next_++, {pid, pid, move.time_ns, ""});
    } else if (const auto known = here_.find(move.pid); known != here_.end()) {
      record::Event end;
      end.kind = record::EventKind::kThreadExit;
      end.time_ns = move.time_ns;
      end.arg = 1;
      sink.on_events(known->second, {&end, 1});
      here_.erase(known);
    }
  }
  return 0;
}

}  // namespace compmond::sampler
