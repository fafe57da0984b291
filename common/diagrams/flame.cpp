// SPDX-License-Identifier: Apache-2.0
#include "diagrams/flame.h"

#include <algorithm>
#include <tuple>

namespace compmond::diagrams {
namespace {

std::vector<uint32_t> by_name(const CallTree& tree, const std::vector<uint32_t>& children) {
  std::vector<uint32_t> sorted = children;
  std::stable_sort(sorted.begin(), sorted.end(), [&](uint32_t a, uint32_t b) {
    const auto *one = tree.operation(a), *other = tree.operation(b);
    return std::tie(one->component, one->name) < std::tie(other->component, other->name);
  });
  return sorted;
}

void fold(Flame& out, const CallTreeNode& node, int row, double x0, double x1) {
  constexpr double kTouch = 1e-6;
  if (out.folds.empty() || out.folds.back().row != row || out.folds.back().x1 < x0 - kTouch)
    out.folds.push_back({row, x0, x0, 0, 0, 0, 0});
  FlameFold& last = out.folds.back();
  last.x1 = x1;
  ++last.paths;
  last.count += node.count;
  last.raw_ns += node.raw_ns;
  last.real_ns += node.below_ns;
}

}  // namespace

uint64_t flame_ns(const CallTreeNode& node, FlameWidth what) {
  return what == FlameWidth::kRaw ? node.raw_ns - std::min(node.raw_ns, node.probes_ns)
                                  : node.below_ns;
}

Flame flame(const CallTree& tree, uint32_t top, FlameWidth what, double width, double narrow_px) {
  Flame out;
  if (tree.nodes.empty() || width <= 0) return out;
  top = std::min(top, uint32_t(tree.nodes.size() - 1));
  for (int32_t at = tree.nodes[top].parent; at >= 0; at = tree.nodes[size_t(at)].parent)
    out.boxes.push_back({uint32_t(at), tree.nodes[size_t(at)].depth, 0, width, true});
  std::reverse(out.boxes.begin(), out.boxes.end());
  std::vector<FlameBox> waiting{{top, tree.nodes[top].depth, 0, width, false}};
  while (!waiting.empty()) {
    const FlameBox box = waiting.back();
    waiting.pop_back();
    out.boxes.push_back(box);
    out.rows = std::max(out.rows, box.row + 1);
    const CallTreeNode& node = tree.nodes[box.node];
    double all = 0;
    for (const uint32_t child : node.children) all += double(flame_ns(tree.nodes[child], what));
    const double whole = std::max(all, double(flame_ns(node, what)));
    if (whole <= 0) continue;
    double x = box.x0;
    const size_t first = waiting.size();
    for (const uint32_t child : by_name(tree, node.children)) {
      const CallTreeNode& below = tree.nodes[child];
      const double end = x + (box.x1 - box.x0) * double(flame_ns(below, what)) / whole;
      if (end - x >= narrow_px) {
        waiting.push_back({child, box.row + 1, x, end, false});
      } else if (end > x) {
        fold(out, below, box.row + 1, x, end);
        out.rows = std::max(out.rows, box.row + 2);
      }
      x = end;
    }
    std::reverse(waiting.begin() + long(first), waiting.end());
  }
  return out;
}

}  // namespace compmond::diagrams
