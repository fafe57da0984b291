// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "diagrams/call_tree.h"

// The flame graph of a call tree, hanging from its root: each call path a box, those that it calls
// below it. Pure; pixels from the left, rows from the top.
namespace compmond::diagrams {

// Narrower, in pixels, a box is no box of its own.
inline constexpr double kNarrowBox = 2;

// What the width of a box stands for: its raw times (without what probes took of them), or the real
// times of all below it. They differ where calls go on after their caller has returned, and where
// nodes were left out.
enum class FlameWidth { kRaw, kReal };

struct FlameBox {
  uint32_t node = 0;
  int row = 0;
  double x0 = 0, x1 = 0;
  bool around = false;  // it leads to the one that is looked at
};

// Neighbours too narrow for boxes of their own, and all below them.
struct FlameFold {
  int row = 0;
  double x0 = 0, x1 = 0;
  uint32_t paths = 0;  // siblings
  uint64_t count = 0, raw_ns = 0, real_ns = 0;
};

struct Flame {
  std::vector<FlameBox> boxes;  // callers before what they call
  std::vector<FlameFold> folds;
  int rows = 0;
};

// `top` over the whole `width`, what leads to it above, what it calls below. Siblings stand by
// name, so that they keep their places while times change. Bounded by width times depth.
Flame flame(const CallTree& tree, uint32_t top, FlameWidth what, double width,
            double narrow_px = kNarrowBox);

// What a box of a node is as wide as, ns.
uint64_t flame_ns(const CallTreeNode& node, FlameWidth what);

}  // namespace compmond::diagrams
