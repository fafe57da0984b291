// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "protocol/analysis_view.h"

// A call tree as it is looked at: rows that open and close, and what a flame graph is cut from.
// Pure. Times in ns. Numbers of nodes are those of the analysis that it was made of.
namespace compmond::diagrams {

struct CallTreeNode {
  int32_t parent = -1;     // of the root: -1; else less than its own number
  int64_t operation = -1;  // of the analysis; -1: the root
  int depth = 0;
  uint64_t count = 0, raw_ns = 0;
  uint64_t real_ns = 0;    // net: without what probes took
  uint64_t below_ns = 0;   // real times of it and of all below it
  uint64_t probes_ns = 0;  // what probes took of raw_ns
  uint64_t key = 0;        // of its path from the root: the same in every answer
  std::vector<uint32_t> children;
};

struct CallTree {
  std::vector<CallTreeNode> nodes;  // parents before children; [0]: the root
  std::vector<snapshot::AnalysisView::Operation> operations;  // that nodes name

  CallTree() = default;
  // What does not fit together (a parent behind its child, an unknown operation) is left out.
  CallTree(std::vector<snapshot::AnalysisView::Operation> of, const snapshot::CallTree& from);
  bool empty() const { return nodes.size() < 2; }
  // Null of the root.
  const snapshot::AnalysisView::Operation* operation(uint32_t node) const;
  // The node of that path, or none.
  const CallTreeNode* find(uint64_t key) const;
};

// kStart: as the analysis has them.
enum class TreeColumn { kName, kCount, kRaw, kReal, kStart };
struct TreeOrder {
  TreeColumn column = TreeColumn::kRaw;
  bool descending = true;
  bool operator==(const TreeOrder&) const = default;
};

// Which nodes show their children: the first levels, unless it was said otherwise for a node.
struct TreeOpening {
  int levels = 3;
  std::map<uint64_t, bool> by_hand;  // by key
  bool operator==(const TreeOpening&) const = default;
  bool open(const CallTreeNode& node) const;
  static TreeOpening all() { return {1 << 20, {}}; }
};

struct TreeRow {
  uint32_t node = 0;
  bool open = false;
  bool operator==(const TreeRow&) const = default;
};

// From top to bottom; siblings in order, equal ones by name. With `found` (per node) only found
// nodes and the ways to them, all of these open.
std::vector<TreeRow> tree_rows(const CallTree& tree, const TreeOrder& order,
                               const TreeOpening& opening, const std::vector<char>* found);

}  // namespace compmond::diagrams
