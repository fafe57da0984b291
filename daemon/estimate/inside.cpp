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
      out[i].own = times_of(nodes_[i].own, totals);
      out[i].total = times_of(nodes_[i].total, totals);
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
      : store_(store),
        wanted_(operations_of(store.model(), part)),
        all_(part.kind == Part::Kind::kAll) {
    for (size_t op = 0; op < wanted_.size(); ++op)
      jumps_ |= wanted_[op] && store.model().operations[op].ends_in_jump;
  }

  void add(const WindowStacks::Stack& stack) {
    size_t inside = stack.frames.size();  // how many frames, the part's outermost one included
    while (!all_ && inside > 0 && !wanted(stack.frames[inside - 1])) --inside;
    if (inside == 0 && !all_) return leave_out(stack);
    std::vector<FunctionId> path, callers;
    const bool cut = stack.ended != sampling::Ended::kComplete;
    if (all_ && cut) path.push_back(kCutOff);
    if (all_ && !cut && inside == 0) path.push_back({});
    for (size_t i = inside; i-- > 0;) path.push_back(store_.function_of(stack.frames[i]));
    for (size_t i = inside; i < stack.frames.size(); ++i)
      callers.push_back(store_.function_of(stack.frames[i]));
    if (!all_ && cut) callers.push_back(kCutOff);
    const Sums all = all_of(stack);
    total_ += all;
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
    out.total =
        estimate::times_of(total_, stacks.totals, hidden_callers(total_, stacks.totals, jumps_));
    for (const auto& [function, flat] : flat_)
      out.functions.push_back(times_of(function, flat, stacks.totals, out.total));
    std::ranges::stable_sort(out.functions, std::greater(), [](const FunctionTimes& times) {
      return std::pair(times.own.all.value_ns, times.total.all.value_ns);
    });
    return out;
  }

 private:
  struct Flat {
    Sums own, total;
  };

  static Sums all_of(const WindowStacks::Stack& stack) {
    Sums all = stack.in_program;
    all += stack.in_kernel;
    return all;
  }

  // The part may be among the callers that it lacks.
  void leave_out(const WindowStacks::Stack& stack) {
    if (stack.ended == sampling::Ended::kComplete) return;
    if (!stack.frames.empty())
      left_out_[store_.function_of(stack.frames.front())] += stack.in_program;
    left_out_[kKernelFunction] += stack.in_kernel;
  }

  FunctionTimes times_of(FunctionId function, const Flat& flat, const Totals& totals,
                         Times& part) const {
    const auto found = left_out_.find(function);
    const Sums left_out = found == left_out_.end() ? Sums() : found->second;
    FunctionTimes out{function, estimate::times_of(flat.own, totals, hidden_innermost(left_out)),
                      estimate::times_of(flat.total, totals, hidden_callers(flat.total, totals))};
    nest(out.total, part);
    nest(out.own, out.total);
    return out;
  }

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
  bool all_, jumps_ = false;  // something of the part ends in jumps to other functions
  Tree callees_, callers_;
  Sums total_;
  std::map<FunctionId, Flat> flat_;
  std::map<FunctionId, Sums> left_out_;  // cut stacks without the part, by innermost function
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
