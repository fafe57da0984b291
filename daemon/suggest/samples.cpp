// SPDX-License-Identifier: Apache-2.0
#include "suggest/samples.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "text/match.h"

namespace compmond::suggest {
namespace {

// Functions by where their code is.
class Places {
 public:
  explicit Places(const Program& program) : program_(program) {
    for (size_t i = 0; i < program.images.size(); ++i) by_path_[program.images[i].path] = i;
  }
  int32_t function_at(const std::string& path, uint64_t vaddr) const {
    const auto image = by_path_.find(path);
    if (image == by_path_.end()) return StackNode::kNobody;
    const auto& all = program_.functions;
    const auto key = std::pair(uint32_t(image->second), vaddr);
    const auto next = std::ranges::upper_bound(
        all, key, {}, [](const Function& one) { return std::pair(one.image, one.vaddr); });
    if (next == all.begin()) return StackNode::kNobody;
    const Function& found = *std::prev(next);
    const bool covers =
        found.image == image->second && vaddr - found.vaddr < std::max<uint64_t>(found.size, 1);
    return covers ? int32_t(std::prev(next) - all.begin()) : StackNode::kNobody;
  }
  // A part of it that lies elsewhere has its name.
  int32_t function_named(const std::string& path, const std::string& name) const {
    const auto image = by_path_.find(path);
    if (image == by_path_.end() || name.empty()) return StackNode::kNobody;
    if (by_name_.empty())
      for (size_t i = 0; i < program_.functions.size(); ++i)
        by_name_.try_emplace({program_.functions[i].image, program_.functions[i].name}, int32_t(i));
    const auto found = by_name_.find({uint32_t(image->second), name});
    return found == by_name_.end() ? StackNode::kNobody : found->second;
  }

 private:
  const Program& program_;
  std::map<std::string, size_t, std::less<>> by_path_;
  mutable std::map<std::pair<uint32_t, std::string>, int32_t> by_name_;
};

bool is_of(const snapshot::Operation& operation, const DraftOperation& drafted) {
  return operation.symbol == drafted.pattern || operation.name == drafted.pattern ||
         operation.name.starts_with(drafted.pattern + "(");
}

// By all its overloads. What slices tell of takes half a minute and more: until then how often it
// was called while somebody looked, which is less than without that.
void take(DraftOperation& drafted, const snapshot::Component& of, double seconds) {
  for (const snapshot::Operation& operation : of.operations) {
    if (!is_of(operation, drafted) || operation.state == snapshot::Presence::kRefused) continue;
    const snapshot::Figures& figures = operation.figures;
    const bool whole = snapshot::estimated_calls(figures) || !figures.at_least;
    const double looked_s = whole ? seconds : seconds * figures.observed_share.value_or(1);
    const double calls = snapshot::shown_calls(figures);
    const bool throttled = operation.state == snapshot::Presence::kThrottled;
    drafted.too_hot |= throttled;
    if (looked_s <= 0 || (throttled && calls <= 0)) continue;  // nobody knows
    drafted.calls_per_s = drafted.calls_per_s.value_or(0) + calls / looked_s;
    drafted.rate_at_least |= !whole;
  }
}

// What was on stacks and never called runs all the while: its executions are not to be timed.
void leave_out_endless(Draft& draft) {
  constexpr double kOften = 0.02;
  for (DraftComponent& component : draft.components)
    std::erase_if(component.operations, [&](const DraftOperation& one) {
      if (one.may_never_end && one.calls_per_s.value_or(0) > 0)
        draft.named_share = std::max(draft.named_share, one.cpu_share);
      return one.may_never_end ? one.calls_per_s.value_or(0) <= 0
                               : one.calls_per_s == 0.0 && one.cpu_share > kOften;
    });
  std::erase_if(draft.components, [](const auto& one) { return one.operations.empty(); });
}

// Of those that about as much is below as below any the outermost one, which is called least.
void mark_landmark(Draft& draft) {
  constexpr double kMostOfIt = 0.5, kAsMuch = 0.9, kLeastRate = 1, kMostRate = 1000;
  std::vector<DraftOperation*> fit;
  double most = 0;
  for (DraftComponent& component : draft.components)
    for (DraftOperation& one : component.operations) {
      const double rate = one.calls_per_s.value_or(0);
      most = std::max(most, one.cpu_share);
      if (one.rate_at_least || rate < kLeastRate || rate > kMostRate || one.cpu_share < kMostOfIt)
        continue;
      fit.push_back(&one);
    }
  std::erase_if(fit, [&](const DraftOperation* one) { return one->cpu_share < kAsMuch * most; });
  const auto least = std::ranges::min_element(fit, {}, &DraftOperation::calls_per_s);
  if (least != fit.end()) (*least)->landmark = true;
}

}  // namespace

std::string spec_of_one(const std::string& symbol, const Image& image) {
  nlohmann::ordered_json component{{"name", "all"},
                                   {"in", {{{"symbol", symbol}, {"optional", true}}}}};
  if (!image.main) component["image"] = std::string(text::leaf(image.path));
  return nlohmann::ordered_json{{"schema", "compmond.spec/1"}, {"components", {component}}}.dump();
}

Evidence evidence_of(const Program& program, const snapshot::Inside& inside, double seconds) {
  const Places places(program);
  std::vector<int32_t> numbers;
  for (const snapshot::Inside::Function& function : inside.functions) {
    const int32_t at =
        function.start ? places.function_at(function.image, *function.start) : StackNode::kNobody;
    const std::string& name = function.short_name.empty() ? function.name : function.short_name;
    numbers.push_back(at != StackNode::kNobody ? at : places.function_named(function.image, name));
  }
  Evidence out;
  out.seconds = seconds;
  out.samples = inside.total.samples;
  std::vector<uint64_t> below(inside.callees.size());  // samples of callees
  for (const snapshot::Inside::Node& node : inside.callees)
    if (node.parent >= 0) below[size_t(node.parent)] += node.samples;
  for (size_t i = 1; i < inside.callees.size(); ++i) {  // the root is no function
    const snapshot::Inside::Node& node = inside.callees[i];
    if (node.own_cpu_ns > node.own_waiting_ns)
      out.cpu_samples += node.samples - std::min(below[i], node.samples);
    out.nodes.push_back({node.parent > 0 ? node.parent - 1 : StackNode::kNobody,
                         node.function < 0 ? StackNode::kNobody : numbers[size_t(node.function)],
                         node.own_cpu_ns, node.own_waiting_ns});
  }
  return out;
}

void take_counts(Draft& draft, const snapshot::Snapshot& counted) {
  draft.counted_s = double(counted.window_end_ns - counted.window_start_ns) / 1e9;
  for (DraftComponent& component : draft.components) {
    const auto found =
        std::ranges::find(counted.components, component.name, &snapshot::Component::name);
    if (found == counted.components.end()) continue;
    for (DraftOperation& one : component.operations) take(one, *found, draft.counted_s);
  }
  leave_out_endless(draft);
  mark_landmark(draft);
}

void take_no_counts(Draft& draft) { leave_out_endless(draft); }

}  // namespace compmond::suggest
