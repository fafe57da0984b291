// SPDX-License-Identifier: Apache-2.0
#include "estimate/inside.h"

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <utility>

namespace compmond::estimate {

namespace {

// The operations of a part, by id.
std::vector<bool> operations_of(const Model& model, Part part) {
  std::vector<bool> out(model.operations.size(), false);
  for (size_t op = 0; op < out.size(); ++op) {
    int component = model.operations[op].component;
    if (part.kind == Part::Kind::kSubtree)
      while (component >= 0 && component != part.index)
        component = model.parent_of[size_t(component)];
    out[op] = part.kind == Part::Kind::kOperation ? int(op) == part.index : component == part.index;
  }
  return out;
}

class Tree {
 public:
  Tree() : nodes_(1) {}

  // Returns false where there was no room for the whole path.
  bool add(std::span<const FunctionId> path, const Sums& sums) {
    int at = 0;
    nodes_[0].total += sums;
    bool whole = true;
    for (const FunctionId& function : path) {
      const auto found = children_.find({at, function});
      whole = found != children_.end() || nodes_.size() < limits::kInsideNodes;
      if (!whole) break;
      at = found != children_.end() ? found->second : grow(at, function);
      nodes_[size_t(at)].total += sums;
    }
    nodes_[size_t(at)].own += sums;
    return whole;
  }

  std::vector<CallNode> nodes(const Totals& totals) const {
    std::vector<CallNode> out(nodes_.size());
    for (size_t i = 0; i < nodes_.size(); ++i) {
      out[i].function = nodes_[i].function;
      out[i].parent = nodes_[i].parent;
      out[i].own = times_of(nodes_[i].own, totals, Cut::kNoMatter);
      out[i].total = times_of(nodes_[i].total, totals, Cut::kNoMatter);
      if (i > 0) out[size_t(nodes_[i].parent)].children.push_back(int(i));
    }
    for (CallNode& node : out)
      std::ranges::stable_sort(node.children, std::greater(),
                               [&](int child) { return out[size_t(child)].total.all.value_ns; });
    return out;
  }

 private:
  struct Node {
    FunctionId function;
    int parent = -1;
    Sums own, total;
  };
  int grow(int parent, const FunctionId& function) {
    const int index = int(nodes_.size());
    nodes_.push_back({function, parent, {}, {}});
    children_.emplace(std::pair(parent, function), index);
    return index;
  }

  std::vector<Node> nodes_;
  std::map<std::pair<int, FunctionId>, int> children_;
};

class Builder {
 public:
  Builder(const SampleStore& store, Part part)
      : store_(store), wanted_(operations_of(store.model(), part)) {}

  void add(const WindowStacks::Stack& stack) {
    size_t inside = stack.frames.size();  // how many frames, the part's outermost one included
    while (inside > 0 && !wanted(stack.frames[inside - 1])) --inside;
    if (inside == 0) return;
    std::vector<FunctionId> path, callers;
    for (size_t i = inside; i-- > 0;) path.push_back(store_.function_of(stack.frames[i]));
    for (size_t i = inside; i < stack.frames.size(); ++i)
      callers.push_back(store_.function_of(stack.frames[i]));
    if (stack.ended != sampling::Ended::kComplete) callers.push_back(kCutOff);
    Sums all = stack.in_program;
    all += stack.in_kernel;
    if (!callers_.add(callers, all)) folded_ += all.on_samples + all.off_samples;
    add_path(path, stack.in_program);
    path.push_back(kKernelFunction);
    add_path(path, stack.in_kernel);
  }

  Inside result(const WindowStacks& stacks) const {
    Inside out;
    out.complete = stacks.complete;
    out.without_stack = stacks.without_stack;
    out.folded = folded_;
    out.callees = callees_.nodes(stacks.totals);
    out.callers = callers_.nodes(stacks.totals);
    for (const auto& [function, flat] : flat_)
      out.functions.push_back({function, times_of(flat.own, stacks.totals, Cut::kNoMatter),
                               times_of(flat.total, stacks.totals, Cut::kNoMatter)});
    std::ranges::stable_sort(out.functions, std::greater(), [](const FunctionTimes& times) {
      return std::pair(times.own.all.value_ns, times.total.all.value_ns);
    });
    return out;
  }

 private:
  struct Flat {
    Sums own, total;
  };

  bool wanted(const sampling::Frame& frame) const {
    const int op = store_.operation_of(frame);
    return op != kNoOperation && wanted_[size_t(op)];
  }

  void add_path(std::vector<FunctionId> path, const Sums& sums) {
    if (sums.on_samples == 0 && sums.off_ns() == 0) return;
    if (!callees_.add(path, sums)) folded_ += sums.on_samples + sums.off_samples;
    flat_[path.back()].own += sums;
    std::ranges::sort(path);
    path.erase(std::unique(path.begin(), path.end()), path.end());
    for (const FunctionId& function : path) flat_[function].total += sums;
  }

  const SampleStore& store_;
  std::vector<bool> wanted_;
  Tree callees_, callers_;
  std::map<FunctionId, Flat> flat_;
  uint64_t folded_ = 0;
};

}  // namespace

Inside inside(const SampleStore& store, Part part, Window window) {
  const WindowStacks stacks = store.stacks(window);
  Builder builder(store, part);
  for (const WindowStacks::Stack& stack : stacks.stacks) builder.add(stack);
  return builder.result(stacks);
}

}  // namespace compmond::estimate
