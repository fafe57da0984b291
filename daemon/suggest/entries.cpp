// SPDX-License-Identifier: Apache-2.0
#include "suggest/entries.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "suggest/name_parts.h"

namespace compmond::suggest {
namespace {

constexpr int kNone = -1;
constexpr double kMostOfIt = 0.97;    // of a group's time: what else leads into it is not worth it
constexpr double kLeastOfAll = 0.01;  // of all time: likewise, but for the first
constexpr double kLeastSamples = 3;   // of fewer chance tells
constexpr uint64_t kLeastBytes = 24;  // of a function's code: shorter ones are hardly work

std::vector<int> groups_by_function(const Program& program, const std::vector<Group>& groups) {
  std::vector<int> out(program.functions.size(), kNone);
  for (size_t i = 0; i < groups.size(); ++i)
    for (const uint32_t function : groups[i].functions) out[function] = int(i);
  return out;
}

// Where stacks come into groups. What is in none belongs to its caller's.
class Seen {
 public:
  Seen(const Evidence& evidence, const std::vector<int>& group_of, size_t groups)
      : by_group_(groups), own_(groups) {
    const std::vector<Times> totals = totals_of(evidence);
    all_ = all_of(evidence);
    samples_ = double(decided_by_cpu(evidence) ? evidence.cpu_samples : evidence.samples);
    std::vector<int> inside(evidence.nodes.size(), kNone);
    std::vector<Entry*> through(evidence.nodes.size());
    for (size_t i = 0; i < evidence.nodes.size(); ++i) {
      const StackNode& node = evidence.nodes[i];
      const int outside = node.parent == StackNode::kNobody ? kNone : inside[size_t(node.parent)];
      const int group =
          node.function == StackNode::kNobody ? kNone : group_of[size_t(node.function)];
      inside[i] = group == kNone ? outside : group;
      if (inside[i] == kNone) continue;
      const Times here{node.cpu_ns, node.waiting_ns};
      own_[size_t(inside[i])] += here;
      if (inside[i] == outside) {
        through[i] = through[size_t(node.parent)];
      } else {
        through[i] = &by_group_[size_t(group)][uint32_t(node.function)];
        through[i]->function = uint32_t(node.function);
        through[i]->times += totals[i];
      }
      through[i]->own += here;
    }
  }
  const Times& own(size_t group) const { return own_[group]; }
  // The first with the most time.
  std::vector<Entry> of(size_t group, bool by_cpu) const {
    std::vector<Entry> out;
    for (const auto& [function, entry] : by_group_[group]) out.push_back(entry);
    const auto time = [&](const Entry& one) { return that_counts(one.times, by_cpu); };
    std::ranges::stable_sort(out, std::greater(), time);
    double all = 0, so_far = 0;
    for (const Entry& one : out) all += time(one);
    const double least =
        that_counts(all_, by_cpu) * std::max(kLeastOfAll, kLeastSamples / samples_);
    size_t count = 0;
    while (count < out.size() && so_far < kMostOfIt * all &&
           (count == 0 || time(out[count]) >= least))
      so_far += time(out[count++]);
    out.resize(count);
    return out;
  }

 private:
  std::vector<std::map<uint32_t, Entry>> by_group_;
  std::vector<Times> own_;
  Times all_;
  double samples_ = 0;  // that this is of
};

// Who calls whom in the code.
class Code {
 public:
  Code(const Program& program, const std::vector<int>& group_of)
      : program_(program),
        group_of_(group_of),
        callees_(program.functions.size()),
        called_(program.functions.size()),
        from_outside_(program.functions.size()) {
    for (const Call& call : program.calls) {
      callees_[call.from].push_back(call.to);
      called_[call.to] = true;
      if (group_of[call.from] != group_of[call.to]) from_outside_[call.to] = true;
    }
  }
  // All of a program is below main, which tells nothing apart.
  bool is_entry(uint32_t function) const {
    const Function& of = program_.functions[function];
    return of.size >= kLeastBytes && of.name != "main" &&
           (from_outside_[function] || (of.exported && !called_[function]));
  }
  // What is reached from there within its group, without what is in `but`.
  std::vector<uint32_t> reached(uint32_t from, const std::set<uint32_t>& but) const {
    std::vector<uint32_t> out = {from};
    std::set<uint32_t> met = {from};
    for (size_t i = 0; i < out.size(); ++i)
      for (const uint32_t to : callees_[out[i]])
        if (group_of_[to] == group_of_[from] && !but.contains(to) && met.insert(to).second)
          out.push_back(to);
    return out;
  }
  uint64_t bytes(const std::vector<uint32_t>& functions) const {
    uint64_t out = 0;
    for (const uint32_t one : functions) out += program_.functions[one].size;
    return out;
  }

 private:
  const Program& program_;
  const std::vector<int>& group_of_;
  std::vector<std::vector<uint32_t>> callees_;
  std::vector<bool> called_, from_outside_;
};

// Those that lead to the most of what no other leads to.
void add_by_code(const Code& code, const Group& group, size_t most, std::vector<Entry>& to) {
  constexpr size_t kLookedAt = 400;  // of the largest: each is gone through
  std::set<uint32_t> covered;
  for (const Entry& one : to) {
    const auto reached = code.reached(one.function, covered);
    covered.insert(reached.begin(), reached.end());
  }
  std::vector<std::pair<uint64_t, uint32_t>> left;
  for (const uint32_t function : group.functions)
    if (code.is_entry(function) && !covered.contains(function))
      left.emplace_back(code.bytes(code.reached(function, covered)), function);
  std::ranges::sort(left, std::greater());
  if (left.size() > kLookedAt) left.resize(kLookedAt);
  while (to.size() < most && !left.empty()) {
    const auto best = std::ranges::max_element(left);
    const uint32_t function = best->second;
    const auto reached = code.reached(function, covered);
    covered.insert(reached.begin(), reached.end());
    to.push_back({.function = function});
    std::erase_if(left, [&](const auto& one) { return covered.contains(one.second); });
    for (auto& [bytes, other] : left) bytes = code.bytes(code.reached(other, covered));
  }
}

}  // namespace

std::vector<Part> parts_of(const Program& program, const Evidence& evidence,
                           const std::vector<Group>& groups, size_t most) {
  const std::vector<int> group_of = groups_by_function(program, groups);
  const Seen seen(evidence, group_of, groups.size());
  const Code code(program, group_of);
  const bool by_cpu = decided_by_cpu(evidence);
  std::vector<Part> out;
  for (size_t i = 0; i < groups.size(); ++i) {
    Part& part = out.emplace_back(Part{seen.of(i, by_cpu), seen.own(i)});
    if (evidence.nodes.empty()) add_by_code(code, groups[i], most, part.entries);
  }
  return out;
}

void take_apart(const Program& program, const Evidence& evidence, std::vector<Group>& groups,
                std::vector<Part>& parts, size_t most) {
  constexpr double kLeast = 0.04;
  const bool by_cpu = decided_by_cpu(evidence);
  double all = 0;
  for (const Part& part : parts) all += that_counts(part.own, by_cpu);
  std::vector<size_t> functions(program.images.size());
  for (const Function& function : program.functions) ++functions[function.image];
  for (size_t i = 0, count = groups.size(); i < count; ++i) {
    const bool says_little =
        groups[i].scope.empty() || 2 * groups[i].functions.size() >= functions[groups[i].image];
    if (!says_little) continue;
    std::vector<Entry> entries = std::move(parts[i].entries);
    const auto own = [&](const Entry& one) { return that_counts(one.own, by_cpu); };
    std::ranges::stable_sort(entries, std::greater(), own);
    const auto is_heavy = [&](const Entry& one) { return all > 0 && own(one) >= kLeast * all; };
    while (entries.size() > 1 && groups.size() < most && is_heavy(entries.front())) {
      const Function& function = program.functions[entries.front().function];
      Group& group = groups.emplace_back(Group{plain_name_of(function), function.image, {}, 0});
      Part& part = parts.emplace_back();
      // With its overloads, which one pattern names.
      std::erase_if(entries, [&](const Entry& one) {
        const bool same = program.functions[one.function].name == function.name;
        if (!same) return false;
        group.functions.push_back(one.function);
        part.entries.push_back(one);
        part.own += one.own;
        parts[i].own -= one.own;
        return true;
      });
    }
    parts[i].entries = std::move(entries);
  }
}

}  // namespace compmond::suggest
