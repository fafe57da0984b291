// SPDX-License-Identifier: Apache-2.0
#include "diagrams/call_tree.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/hash_mix.h"

namespace compmond::diagrams {
namespace {

constexpr uint64_t kRootKey = 1;

// By names, so that a path has the same key in every answer. Siblings of one operation, as in the
// tree of a single trace, are told apart by their number.
uint64_t key_of(const CallTree& tree, const CallTreeNode& parent, int64_t operation,
                std::map<std::pair<uint64_t, int64_t>, uint64_t>& twins) {
  const auto& names = tree.operations[size_t(operation)];
  const uint64_t twin = twins[{parent.key, operation}]++;
  const uint64_t key = hash_mix(hash_mix(parent.key, names.component), names.name);
  return twin == 0 ? key : hash_mix(key, twin);
}

// Not of the root.
auto name_of(const CallTree& tree, uint32_t node) {
  const auto* names = tree.operation(node);
  return std::tie(names->component, names->name);
}

bool before(const CallTree& tree, const TreeOrder& order, uint32_t a, uint32_t b) {
  const auto value = [&](uint32_t node) {
    const CallTreeNode& n = tree.nodes[node];
    return order.column == TreeColumn::kCount ? n.count
           : order.column == TreeColumn::kRaw ? n.raw_ns
                                              : n.real_ns;
  };
  if (order.column == TreeColumn::kStart) return order.descending ? b < a : a < b;
  if (order.column == TreeColumn::kName)
    return order.descending ? name_of(tree, b) < name_of(tree, a)
                            : name_of(tree, a) < name_of(tree, b);
  if (value(a) != value(b)) return order.descending ? value(a) > value(b) : value(a) < value(b);
  return name_of(tree, a) < name_of(tree, b);
}

}  // namespace

CallTree::CallTree(std::vector<snapshot::AnalysisView::Operation> of,
                   const snapshot::CallTree& from)
    : operations(std::move(of)) {
  std::map<std::pair<uint64_t, int64_t>, uint64_t> twins;
  std::vector<int32_t> place(from.nodes.size(), -1);
  for (size_t i = 0; i < from.nodes.size(); ++i) {
    const auto& n = from.nodes[i];
    const uint64_t real_ns = n.net_real_ns();
    CallTreeNode node{-1, -1, 0, n.count, n.raw_ns, real_ns, real_ns, 0, kRootKey, {}};
    if (real_ns < n.real_ns) node.probes_ns = n.real_ns - real_ns;
    if (i > 0) {
      const bool known = n.parent >= 0 && size_t(n.parent) < i && place[size_t(n.parent)] >= 0 &&
                         n.operation >= 0 && size_t(n.operation) < operations.size();
      if (!known) continue;
      node.parent = place[size_t(n.parent)];
      node.operation = n.operation;
      CallTreeNode& parent = nodes[size_t(node.parent)];
      node.depth = parent.depth + 1;
      node.key = key_of(*this, parent, node.operation, twins);
      parent.children.push_back(uint32_t(nodes.size()));
    }
    place[i] = int32_t(nodes.size());
    nodes.push_back(std::move(node));
  }
  for (size_t i = nodes.size(); i-- > 1;) {
    CallTreeNode& parent = nodes[size_t(nodes[i].parent)];
    parent.below_ns += nodes[i].below_ns;
    parent.probes_ns += nodes[i].probes_ns;
  }
}

const snapshot::AnalysisView::Operation* CallTree::operation(uint32_t node) const {
  const int64_t number = nodes[node].operation;
  return number < 0 ? nullptr : &operations[size_t(number)];
}

const CallTreeNode* CallTree::find(uint64_t key) const {
  const auto at = std::find_if(nodes.begin(), nodes.end(),
                               [&](const CallTreeNode& node) { return node.key == key; });
  return at == nodes.end() ? nullptr : &*at;
}

bool TreeOpening::open(const CallTreeNode& node) const {
  const auto said = by_hand.find(node.key);
  return said == by_hand.end() ? node.depth < levels : said->second;
}

std::vector<TreeRow> tree_rows(const CallTree& tree, const TreeOrder& order,
                               const TreeOpening& opening, const std::vector<char>* found) {
  std::vector<TreeRow> rows;
  if (tree.nodes.empty()) return rows;
  std::vector<char> on_way;  // to something found
  if (found) {
    on_way = *found;
    on_way.resize(tree.nodes.size());
    for (size_t i = tree.nodes.size(); i-- > 1;)
      if (on_way[i]) on_way[size_t(tree.nodes[i].parent)] = 1;
  }
  std::vector<uint32_t> waiting{0};  // the next one last
  while (!waiting.empty()) {
    const uint32_t at = waiting.back();
    waiting.pop_back();
    const CallTreeNode& node = tree.nodes[at];
    std::vector<uint32_t> below = node.children;
    if (found) std::erase_if(below, [&](uint32_t child) { return !on_way[child]; });
    const bool open = !below.empty() && (found || opening.open(node));
    rows.push_back({at, open});
    if (!open) continue;
    std::stable_sort(below.begin(), below.end(),
                     [&](uint32_t a, uint32_t b) { return before(tree, order, a, b); });
    waiting.insert(waiting.end(), below.rbegin(), below.rend());
  }
  return rows;
}

}  // namespace compmond::diagrams
