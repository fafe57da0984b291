// SPDX-License-Identifier: Apache-2.0
#include "suggest/times.h"

#include <cstddef>
#include <cstdint>
#include <map>

namespace compmond::suggest {

Times all_of(const Evidence& evidence) {
  Times out;
  for (const StackNode& node : evidence.nodes) out += {node.cpu_ns, node.waiting_ns};
  return out;
}

std::vector<Times> totals_of(const Evidence& evidence) {
  std::vector<Times> out(evidence.nodes.size());
  for (size_t i = evidence.nodes.size(); i-- > 0;) {
    const StackNode& node = evidence.nodes[i];
    out[i] += {node.cpu_ns, node.waiting_ns};
    if (node.parent != StackNode::kNobody) out[size_t(node.parent)] += out[i];
  }
  return out;
}

std::vector<Times> own_times(const Program& program, const Evidence& evidence) {
  std::vector<Times> out(program.functions.size());
  std::vector<int32_t> innermost(evidence.nodes.size(), StackNode::kNobody);
  for (size_t i = 0; i < evidence.nodes.size(); ++i) {
    const StackNode& node = evidence.nodes[i];
    innermost[i] = node.function != StackNode::kNobody ? node.function
                   : node.parent != StackNode::kNobody ? innermost[size_t(node.parent)]
                                                       : StackNode::kNobody;
    if (innermost[i] != StackNode::kNobody)
      out[size_t(innermost[i])] += {node.cpu_ns, node.waiting_ns};
  }
  return out;
}

bool decided_by_cpu(const Evidence& evidence) {
  constexpr uint64_t kEnough = 50;
  return evidence.cpu_samples >= kEnough;
}

std::vector<Loop> leave_out_loops(Evidence& evidence) {
  constexpr double kAlways = 0.98, kEnough = 30;  // samples: of few, all may have it by chance
  const std::vector<Times> totals = totals_of(evidence);
  const double all_ns = all_of(evidence).all_ns();
  std::vector<bool> always(evidence.nodes.size());
  std::vector<size_t> first(evidence.nodes.size());  // of the stack
  std::map<size_t, Loop> loops;                      // by that
  for (size_t i = 0; i < evidence.nodes.size(); ++i) {
    StackNode& node = evidence.nodes[i];
    const bool is_first = node.parent == StackNode::kNobody;
    first[i] = is_first ? i : first[size_t(node.parent)];
    const double of_all = totals[first[i]].all_ns();
    if (of_all * double(evidence.samples) < kEnough * all_ns) continue;
    always[i] = is_first ? node.function == StackNode::kNobody
                         : always[size_t(node.parent)] && totals[i].all_ns() >= kAlways * of_all;
    if (!always[i] || node.function == StackNode::kNobody) continue;
    loops[first[i]] = {i, uint32_t(node.function), totals[i]};
    node.function = StackNode::kNobody;
  }
  std::vector<Loop> out;
  for (const auto& [at, loop] : loops) out.push_back(loop);
  return out;
}

}  // namespace compmond::suggest
