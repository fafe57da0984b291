// SPDX-License-Identifier: Apache-2.0
#include "suggest/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "suggest/component_names.h"
#include "suggest/entries.h"
#include "suggest/groups.h"
#include "suggest/name_parts.h"
#include "suggest/times.h"
#include "text/clean.h"
#include "text/match.h"
#include "text/numbers.h"

namespace compmond::suggest {
namespace {

// A name that is no pattern by itself, where there is one.
std::string pattern_of(const Function& function) {
  const bool plain =
      function.name.find_first_of("*?@") == std::string::npos && !function.name.starts_with("re:");
  return function.scoped() && plain ? function.name : function.symbol;
}

// Of samples on CPU, of how many a function of `named` is on the stack.
double named_share(const Evidence& evidence, const std::set<uint32_t>& named) {
  std::vector<bool> within(evidence.nodes.size());
  double all = 0, in = 0;
  for (size_t i = 0; i < evidence.nodes.size(); ++i) {
    const StackNode& node = evidence.nodes[i];
    within[i] = (node.parent != StackNode::kNobody && within[size_t(node.parent)]) ||
                (node.function != StackNode::kNobody && named.contains(uint32_t(node.function)));
    all += node.cpu_ns;
    if (within[i]) in += node.cpu_ns;
  }
  return all > 0 ? in / all : 0;
}

// Likewise of how many no function at all is.
double nameless_share(const Evidence& evidence) {
  std::set<uint32_t> all;
  for (const StackNode& node : evidence.nodes)
    if (node.function != StackNode::kNobody) all.insert(uint32_t(node.function));
  return evidence.nodes.empty() ? 0 : 1 - named_share(evidence, all);
}

// Of what is below a loop, that which no group has.
Times own_of(const Loop& loop, const Evidence& evidence, const std::vector<Group>& groups) {
  std::set<uint32_t> grouped;
  for (const Group& group : groups) grouped.insert(group.functions.begin(), group.functions.end());
  std::vector<bool> below(evidence.nodes.size());
  Times out;
  for (size_t i = loop.node; i < evidence.nodes.size(); ++i) {
    const StackNode& node = evidence.nodes[i];
    below[i] =
        (i == loop.node || (node.parent != StackNode::kNobody && below[size_t(node.parent)])) &&
        (node.function == StackNode::kNobody || !grouped.contains(uint32_t(node.function)));
    if (below[i]) out += {node.cpu_ns, node.waiting_ns};
  }
  return out;
}

// The heaviest of them as groups, for counting to tell whether they end; but main does not.
void add_loops(const Program& program, const Evidence& evidence, std::vector<Loop> loops,
               std::vector<Group>& groups, std::vector<Part>& parts, size_t most) {
  const bool by_cpu = decided_by_cpu(evidence);
  std::erase_if(loops, [&](const Loop& one) {
    const std::string& name = program.functions[one.function].name;
    return name == "main" || std::ranges::any_of(parts, [&](const Part& part) {
             return std::ranges::any_of(part.entries, [&](const Entry& entry) {
               return program.functions[entry.function].name == name;
             });
           });
  });
  std::ranges::stable_sort(loops, std::greater(),
                           [&](const Loop& one) { return that_counts(one.times, by_cpu); });
  std::set<std::string> taken;
  for (const Loop& one : loops) {
    const Function& function = program.functions[one.function];
    if (groups.size() >= most || !taken.insert(function.name).second) continue;
    const Times own = own_of(one, evidence, groups);
    groups.push_back({plain_name_of(function), function.image, {one.function}, 0});
    parts.push_back({{{one.function, one.times, own}}, own});
  }
}

void tell_unseen(const Program& program, const Evidence& evidence, double nameless, Draft& to) {
  bool of_system = false;
  for (const Image& image : program.images) {
    const std::string file = text::clean(text::leaf(image.path));
    of_system |= !image.main && is_system_library(image.path);
    if (image.stripped &&
        (image.main || to.build_ids.contains(std::string(text::leaf(image.path)))))
      to.unseen.push_back(
          fmt::format("functions of {} that it does not export, as it is stripped", file));
  }
  if (evidence.nodes.empty() && of_system)
    to.unseen.emplace_back("libraries of the system: only samples tell what of them is used");
  constexpr double kWorthSaying = 0.01;
  if (nameless > kWorthSaying)
    to.unseen.push_back(fmt::format("{} of the time on CPU, which no function with a name is in",
                                    text::whole_percent(100 * nameless)));
}

}  // namespace

Draft draft_of(const std::string& name, const Program& program, Evidence evidence,
               const DraftLimits& limits) {
  Draft out;
  constexpr size_t kNameBytes = 150;  // a spec takes 200
  out.name = text::printable(text::clean(name), kNameBytes);
  if (out.name.find_first_not_of(' ') == std::string::npos) out.name = "program";
  const double nameless = nameless_share(evidence);
  std::vector<Loop> loops = leave_out_loops(evidence);
  const Times all = all_of(evidence);
  // Names come first; room is left for what heavy entries lead to.
  const size_t by_name =
      evidence.nodes.empty() ? limits.components : std::max<size_t>(1, limits.components * 3 / 4);
  auto groups = groups_of(program, evidence, by_name);
  auto parts = parts_of(program, evidence, groups, limits.operations);
  take_apart(program, evidence, groups, parts, limits.components - (loops.empty() ? 0 : 1));
  constexpr size_t kLoops = 2;
  const size_t first_loop = groups.size();
  add_loops(program, evidence, std::move(loops), groups, parts,
            std::min(first_loop + kLoops, limits.components));
  const auto names = component_names(out.name, program, groups, parts);
  const auto share = [](double of, double whole) { return whole > 0 ? of / whole : 0; };
  std::set<uint32_t> named;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (parts[i].entries.empty()) continue;
    const Image& image = program.images[groups[i].image];
    DraftComponent component{.name = names[i],
                             .image = image.main ? "" : std::string(text::leaf(image.path))};
    component.functions = groups[i].functions.size();
    component.cpu_share = share(parts[i].own.cpu_ns, all.cpu_ns);
    component.waiting_share = share(parts[i].own.waiting_ns, all.waiting_ns);
    std::set<std::string> patterns;  // overloads have one
    for (const Entry& entry : parts[i].entries) {
      if (component.operations.size() == limits.operations) break;
      if (i < first_loop) named.insert(entry.function);
      const Function& function = program.functions[entry.function];
      if (std::string pattern = pattern_of(function); patterns.insert(pattern).second)
        component.operations.push_back({.pattern = std::move(pattern),
                                        .cpu_share = share(entry.times.cpu_ns, all.cpu_ns),
                                        .may_never_end = i >= first_loop});
    }
    out.components.push_back(std::move(component));
    out.build_ids.try_emplace(std::string(text::leaf(image.path)), image.build_id);
  }
  std::ranges::stable_sort(out.components, std::greater(), &DraftComponent::cpu_share);
  tell_unseen(program, evidence, nameless, out);
  std::erase_if(out.build_ids, [](const auto& one) { return one.second.empty(); });
  out.named_share = named_share(evidence, named);
  evidence.nodes.clear();
  out.evidence = std::move(evidence);
  return out;
}

}  // namespace compmond::suggest
