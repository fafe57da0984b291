// SPDX-License-Identifier: Apache-2.0
#include "suggest/groups.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "suggest/name_parts.h"
#include "suggest/times.h"

namespace compmond::suggest {
namespace {

constexpr double kLeast = 0.02;        // of all: what is lighter is in no group
constexpr double kLeastWithin = 0.15;  // or of all time with it on the stack
constexpr double kNearlyAll = 0.95;    // of a group: it is that part, under a longer name
constexpr double kAlone = 2;           // times as much for a function by itself: its own

// Functions whose names begin alike. Shares are of all.
struct Node {
  std::string scope;
  std::map<std::string, std::unique_ptr<Node>> parts;
  std::vector<uint32_t> functions;  // that are in no part
  size_t count = 0;                 // with those in parts, likewise
  double own = 0, within = 0;       // of its functions, and with one of them on the stack

  bool is_worth_it() const {
    return count == 1 ? own >= kAlone * kLeast : own >= kLeast || within >= kLeastWithin;
  }
  double weight() const { return own + within * kLeast / kLeastWithin; }
};

// A group as it is now: a node without some of its parts.
struct Open {
  Node* node = nullptr;
  uint32_t image = 0;
  std::vector<Node*> without = {};
  bool whole = false;  // it is not to be parted any more

  double own() const {
    double out = node->own;
    for (const Node* one : without) out -= one->own;
    return std::max(0.0, out);
  }
  bool has(const Node* part) const { return std::ranges::find(without, part) == without.end(); }
};

// All names of a program, an image after the other.
struct Names {
  std::vector<std::unique_ptr<Node>> images;
  std::vector<std::vector<Node*>> nodes_of;  // of each function, the widest first

  explicit Names(const Program& program) : images(program.images.size()) {
    for (auto& root : images) root = std::make_unique<Node>();
    for (size_t i = 0; i < program.functions.size(); ++i) {
      Node* node = images[program.functions[i].image].get();
      std::vector<Node*>& nodes = nodes_of.emplace_back();
      nodes.push_back(node);
      for (std::string& scope : scopes_of(program.functions[i])) {
        auto& part = node->parts[scope];
        if (!part) part = std::make_unique<Node>();
        part->scope = std::move(scope);
        nodes.push_back(node = part.get());
      }
      for (Node* const one : nodes) ++one->count;
      node->functions.push_back(uint32_t(i));
    }
  }
  // Libraries of all programs are larger than what one uses of them.
  void take_code(const Program& program) {
    const auto bytes = [&](const Function& of) {
      const Image& image = program.images[of.image];
      return image.main || !is_system_library(image.path) ? double(of.size) : 0;
    };
    double all = 0;
    for (const Function& function : program.functions) all += bytes(function);
    for (size_t i = 0; all > 0 && i < program.functions.size(); ++i)
      for (Node* const node : nodes_of[i]) node->own += bytes(program.functions[i]) / all;
  }
  void take_times(const Program& program, const Evidence& evidence) {
    const bool by_cpu = decided_by_cpu(evidence);
    const std::vector<Times> own = own_times(program, evidence), totals = totals_of(evidence);
    double all = 0;  // of nobody's is left out: threads that have nothing to do wait in their loops
    for (const Times& one : own) all += that_counts(one, by_cpu);
    for (size_t i = 0; all > 0 && i < program.functions.size(); ++i)
      for (Node* const node : nodes_of[i]) node->own += that_counts(own[i], by_cpu) / all;
    for (size_t i = 0; all > 0 && i < evidence.nodes.size(); ++i) {
      if (evidence.nodes[i].function == StackNode::kNobody) continue;
      for (Node* const node : nodes_of[size_t(evidence.nodes[i].function)])
        if (!is_above(evidence, i, node)) node->within += that_counts(totals[i], by_cpu) / all;
    }
  }

 private:
  bool is_above(const Evidence& evidence, size_t of, const Node* node) const {
    for (int32_t i = evidence.nodes[of].parent; i != StackNode::kNobody;
         i = evidence.nodes[size_t(i)].parent) {
      const int32_t function = evidence.nodes[size_t(i)].function;
      if (function != StackNode::kNobody &&
          std::ranges::find(nodes_of[size_t(function)], node) != nodes_of[size_t(function)].end())
        return true;
    }
    return false;
  }
};

class Parting {
 public:
  Parting(const Names& names, size_t most) : most_(most) {
    for (size_t i = 0; i < names.images.size(); ++i)
      if (names.images[i]->is_worth_it()) open_.push_back({names.images[i].get(), uint32_t(i)});
    std::ranges::stable_sort(open_, std::greater(), [](const Open& one) { return one.own(); });
    if (open_.size() > most_) open_.resize(most_);
  }
  std::vector<Open> part() {
    while (Open* const next = heaviest()) part(*next);
    return std::move(open_);
  }

 private:
  Open* heaviest() {
    Open* out = nullptr;
    for (Open& one : open_)
      if (!one.whole && (!out || one.own() > out->own())) out = &one;
    return out;
  }
  // Those parts that are worth it, the heaviest first.
  std::vector<Node*> parts_of(const Open& one) const {
    std::vector<Node*> out;
    for (const auto& [scope, part] : one.node->parts)
      if (one.has(part.get()) && part->is_worth_it()) out.push_back(part.get());
    std::ranges::stable_sort(out, std::greater(), &Node::weight);
    return out;
  }
  // Of the parts of a group, beside what is left of it.
  size_t as_many_as_fit(const std::vector<Node*>& parts, double own) const {
    const size_t others = open_.size() - 1;
    size_t out = 0;
    for (size_t count = 1; count <= parts.size(); ++count) {
      own -= parts[count - 1]->own;
      const size_t left = own >= kLeast ? 1 : 0;
      if (others + count + left <= most_) out = count;
    }
    return out;
  }
  void part(Open& one) {
    const std::vector<Node*> parts = parts_of(one);
    if (parts.size() == 1 && one.without.empty() && parts[0]->own >= kNearlyAll * one.own()) {
      if (parts[0]->count == 1)
        one.whole = true;  // by itself a function says less than what it is in
      else
        one.node = parts[0];
      return;
    }
    const size_t count = as_many_as_fit(parts, one.own());
    one.whole = true;
    if (count == 0) return;
    std::vector<Open> fresh;
    for (size_t i = 0; i < count; ++i) {
      one.without.push_back(parts[i]);
      fresh.push_back({parts[i], one.image});
    }
    const bool gone = one.own() < kLeast;
    if (gone) one = fresh.front();
    open_.insert(open_.end(), fresh.begin() + (gone ? 1 : 0), fresh.end());
  }

  size_t most_;
  std::vector<Open> open_;
};

void gather(const Node& node, const Open& group, std::vector<uint32_t>& out) {
  out.insert(out.end(), node.functions.begin(), node.functions.end());
  for (const auto& [scope, part] : node.parts)
    if (group.has(part.get())) gather(*part, group, out);
}

}  // namespace

std::vector<Group> groups_of(const Program& program, const Evidence& evidence, size_t most) {
  Names names(program);
  if (evidence.nodes.empty())
    names.take_code(program);
  else
    names.take_times(program, evidence);
  std::vector<Group> out;
  for (const Open& one : Parting(names, most).part()) {
    Group& group = out.emplace_back(Group{one.node->scope, one.image, {}, one.own()});
    gather(*one.node, one, group.functions);
    std::ranges::sort(group.functions);
  }
  std::ranges::stable_sort(out, std::greater(), &Group::share);
  return out;
}

}  // namespace compmond::suggest
