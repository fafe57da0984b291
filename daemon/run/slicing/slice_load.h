// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "base/window.h"
#include "counts/slow_down.h"
#include "pipeline/slice_watch.h"
#include "slicing/loads.h"
#include "slicing/thread_times.h"

namespace compmond::run {

// What the probes of a slice took. Times in ns.
struct SliceLoad {
  Loads::Seen seen;
  std::vector<counts::ThreadLoad> threads;  // of the targets
  double probes_ns = 0;                     // of all their CPU time
};

// What was attached, and how, in which window, and the CPU times at its begin and at its end.
struct SliceFrame {
  const std::vector<bool>& attached;
  plan::See see = plan::See::kCalls;
  Window window;
  const ThreadTimes &before, &after;
};

// With what probes cost by `loads`. No thread used more than the slice's time; one that was not
// there at its end may have used all of it. Pure.
SliceLoad load_of(const SliceFrame& slice, std::span<const pipeline::SliceThread> callers,
                  const Loads& loads);

}  // namespace compmond::run
