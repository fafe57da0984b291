// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/states.h"

namespace compmond::run {

// Decides which probes are too dear for the target: pure, told everything, keeps only when to try
// again. Every look compares what the probes cost since the last one with the CPU time that the
// targets used. Twice in a row above `percent`, or once above half of it all, the dearest
// operations are to be paused until the rest stays below 80 % of the budget; each is tried again
// after 10 s, then after twice as long each time that it was too dear again.
class OverheadBudget {
 public:
  OverheadBudget(double percent, size_t operations);

  // One operation's load since the last look.
  struct Load {
    uint64_t calls = 0;
    double cost_ns = 0;  // of all of them, at the target
  };
  // Whether they take most of the targets' time: the target hardly moves, and no burst of that kind
  // is worth to be seen.
  static bool floods(const std::vector<Load>& loads, double cpu_ns, double wall_ns);
  struct Decision {
    std::vector<size_t> pause;       // dearest first
    std::vector<size_t> bring_back;  // whose time to be tried again has come
    bool any() const { return !pause.empty() || !bring_back.empty(); }
  };
  // `loads`, `states`: one per operation; who is told carries the decision out in `states`.
  // `cpu_ns`: CPU time of all targets, probes included, since the last look, `wall_ns` ago. Costs
  // below half a percent of one CPU are never worth a pause.
  Decision look(const std::vector<Load>& loads, const plan::OperationStates& states, double cpu_ns,
                double wall_ns, uint64_t now_ns);

 private:
  struct Pause {  // an operation's last one
    uint64_t ends_ns = 0;
    uint64_t length_ns = 0;
  };
  double percent_;
  bool was_above_ = false;  // at the last look
  std::vector<Pause> pauses_;
};

}  // namespace compmond::run
