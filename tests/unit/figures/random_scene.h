// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../trace/simulator.h"
#include "scene.h"

namespace compmond::figures {

// Random programs on three threads, some executions left open, and all that a brute-force answer
// needs to know of them. Times are multiples of `unit_ns`.
struct RandomRun : Scene {
  static constexpr uint32_t kThreads = 3;

  explicit RandomRun(const std::vector<uint32_t>& script, uint64_t unit_ns = 1)
      : Scene(trace::simulator_components(), {-1, 0, 0, 1, -1}) {
    for (uint32_t thread = 0; thread < kThreads; ++thread) {
      trace::Simulator simulator(0x7000'0000'0000 + (uint64_t(thread) << 32));
      for (size_t i = thread; i < script.size(); i += kThreads) simulator.step(script[i]);
      for (record::Event& event : simulator.events) event.time_ns *= unit_ns;
      feed(thread, simulator.events);
      if (!simulator.events.empty()) now = std::max(now, simulator.events.back().time_ns);
    }
  }

  // Closed executions, and the open ones of a checkpoint with their end set to its now.
  std::vector<trace::Execution> all(const history::Checkpoint& checkpoint) const {
    std::vector<trace::Execution> out = closed;
    for (const trace::OpenExecution& open : checkpoint.open) {
      const uint64_t end = checkpoint.as_of_ns,
                     real = open.own_ns + (open.on_top ? end - open.on_top_since_ns : 0);
      trace::Execution& as_closed = out.emplace_back(trace::Execution{open});
      as_closed.end_ns = end;
      as_closed.nested_ns = end - open.start_ns - real;
    }
    return out;
  }

  uint64_t now = 0;
};

inline auto random_script(int length) {
  return rc::gen::resize(length,
                         rc::gen::container<std::vector<uint32_t>>(rc::gen::arbitrary<uint32_t>()));
}

}  // namespace compmond::figures
