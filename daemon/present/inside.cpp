// SPDX-License-Identifier: Apache-2.0
#include "present/inside.h"

#include <algorithm>
#include <map>
#include <queue>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "plan/display_name.h"
#include "present/estimated_parts.h"
#include "text/match.h"
#include "text/nearest.h"

namespace compmond::present {
namespace {

using estimate::CallNode;
using estimate::FunctionId;
using estimate::Part;
using snapshot::Inside;
using snapshot::Whose;

snapshot::Spent spent(const estimate::Times& times) {
  return {estimate_of(times.on_cpu), estimate_of(times.off_cpu), estimate_of(times.all),
          times.all.samples,         times.off_cpu.at_least,     times.on_cpu.at_least};
}

Whose whose(FunctionId id, const estimate::SampleStore::Named& named) {
  if (id == estimate::kCutOff) return Whose::kMissing;
  if (id.image == sampling::kKernel) return Whose::kKernel;
  if (id.image == sampling::kVdso) return Whose::kVdso;
  if (id.image == sampling::kNoImage) return Whose::kUnknown;
  const bool library = text::leaf(named.image).find(".so") != std::string_view::npos;
  return named.has_operations || !library ? Whose::kOwn : Whose::kLibrary;
}

// Numbers the functions that a report mentions.
class MentionedFunctions {
 public:
  explicit MentionedFunctions(const estimate::SampleStore& store) : store_(store) {}

  int32_t number(FunctionId id) {
    const auto [known, fresh] = numbers_.try_emplace(id, int32_t(functions.size()));
    if (!fresh) return known->second;
    Inside::Function& function = functions.emplace_back();
    auto named = store_.named(id);
    function.whose = whose(id, named);
    function.name = std::move(named.name);
    function.image = std::move(named.image);
    if (id.image >= sampling::kVdso && id.start != estimate::kUnknownStart)
      function.start = id.start;
    return known->second;
  }

  std::vector<Inside::Function> functions;

 private:
  const estimate::SampleStore& store_;
  std::map<FunctionId, int32_t> numbers_;
};

// Types make names longer than there is room for.
void shorten_names(std::vector<Inside::Function>& functions) {
  std::map<std::string, size_t> named;
  std::vector<std::string> shorter;
  for (const Inside::Function& function : functions) {
    shorter.push_back(plan::plain_name(function.name));
    ++named[shorter.back()];
  }
  for (size_t i = 0; i < functions.size(); ++i)
    if (shorter[i] != functions[i].name && named[shorter[i]] == 1)
      functions[i].short_name = std::move(shorter[i]);
}

// The nodes with the most time among those whose parents are there.
std::vector<char> heaviest(const std::vector<CallNode>& nodes, size_t limit) {
  std::vector<char> kept(nodes.size(), 0);
  std::priority_queue<std::tuple<double, size_t, int>> next;
  next.emplace(0, 0, 0);
  for (size_t count = 0; count < limit && !next.empty(); ++count) {
    const int node = std::get<2>(next.top());
    next.pop();
    kept[size_t(node)] = 1;
    for (const int child : nodes[size_t(node)].children)  // the first of equal ones
      next.emplace(nodes[size_t(child)].total.all.value_ns, nodes.size() - size_t(child), child);
  }
  return kept;
}

struct Tree {
  const std::vector<CallNode>& nodes;
  std::vector<int> order;       // of those that are kept: as they are to stand
  std::vector<int32_t> parent;  // likewise, by place in order
};

Tree cut_to(const std::vector<CallNode>& nodes, size_t limit) {
  Tree out{nodes, {0}, {-1}};
  const std::vector<char> kept = heaviest(nodes, limit);
  for (size_t i = 0; i < out.order.size(); ++i)
    for (const int child : nodes[size_t(out.order[i])].children)
      if (kept[size_t(child)]) {
        out.order.push_back(child);
        out.parent.push_back(int32_t(i));
      }
  return out;
}

std::vector<Inside::Node> nodes_of(const Tree& tree, MentionedFunctions& mentioned) {
  std::vector<Inside::Node> out;
  for (size_t i = 0; i < tree.order.size(); ++i) {
    const CallNode& node = tree.nodes[size_t(tree.order[i])];
    out.push_back({tree.parent[i], i == 0 ? -1 : mentioned.number(node.function),
                   node.own.on_cpu.value_ns, node.own.off_cpu.value_ns, node.total.on_cpu.value_ns,
                   node.total.off_cpu.value_ns, node.total.all.samples});
  }
  return out;
}

// Those of `all` that are among the first `limit`, or that a kept node has.
size_t add_functions(const std::vector<estimate::FunctionTimes>& all, const Tree& callees,
                     size_t limit, MentionedFunctions& to) {
  std::map<FunctionId, bool> of_nodes;
  for (size_t i = 1; i < callees.order.size(); ++i)
    of_nodes[callees.nodes[size_t(callees.order[i])].function] = true;
  for (size_t i = 0; i < all.size(); ++i) {
    if (i >= limit && !of_nodes.contains(all[i].function)) continue;
    Inside::Function& function = to.functions[size_t(to.number(all[i].function))];
    function.own = spent(all[i].own);
    function.total = spent(all[i].total);
  }
  return all.size() - to.functions.size();
}

constexpr const char* kCannotLook = "cannot look inside";

Unexpected no_samples() {
  return fail(Exit::kData, kCannotLook, "there are no samples, which tell functions",
              "Run with samples (--samples HZ; compmond doctor says what they need).");
}

// Some of them, those first that are most like `name`.
std::string components_near(const spec::Spec& spec, const std::string& name) {
  constexpr size_t kListed = 12;
  text::EditDistance distance;
  const std::string wanted = text::lower(name.substr(0, 200));
  std::vector<std::pair<size_t, std::string_view>> all;
  for (const spec::Component& component : spec.components) {
    const auto away = [&](std::string_view word) {
      return distance(wanted, text::lower(word), wanted.size() + word.size());
    };
    all.emplace_back(std::min(away(component.path), away(text::leaf(component.path))),
                     component.path);
  }
  std::ranges::stable_sort(all, {}, &std::pair<size_t, std::string_view>::first);
  std::vector<std::string> shown;
  for (size_t i = 0; i < std::min(all.size(), kListed); ++i) shown.emplace_back(all[i].second);
  if (all.size() > kListed) shown.push_back(fmt::format("{} more", all.size() - kListed));
  return text::listed(shown);
}

Unexpected unknown(const spec::Spec& spec, const plan::Plan& plan, const char* what,
                   const std::string& name) {
  std::vector<std::string_view> known;
  for (const spec::Component& component : spec.components) {
    known.push_back(component.path);
    known.push_back(text::leaf(component.path));
  }
  for (const plan::PlannedOperation& op : plan.operations) known.push_back(op.name);
  const std::string meant = text::did_you_mean(name, known);
  return fail(Exit::kData, kCannotLook,
              fmt::format("there is no {} '{}'", what, name.substr(0, 200)),
              (meant.empty() ? "" : meant + " ") +
                  fmt::format("The components are {}.", components_near(spec, name)));
}

int component_at(const spec::Spec& spec, const std::string& path) {
  const auto found = std::ranges::find(spec.components, path, &spec::Component::path);
  return found == spec.components.end() ? -1 : int(found - spec.components.begin());
}

std::vector<int> operations_named(const plan::Plan& plan, const std::string& name, int component) {
  std::vector<int> out;
  for (size_t i = 0; i < plan.operations.size(); ++i)
    if (plan.operations[i].name == name &&
        (component < 0 || plan.operations[i].component == component))
      out.push_back(int(i));
  return out;
}

}  // namespace

Result<Part> part_of(const spec::Spec& spec, const plan::Plan& plan, const std::string& component,
                     const std::string& operation, bool alone) {
  if (component.empty() && operation.empty())
    return fail(Exit::kData, kCannotLook, "neither a component nor an operation is named");
  const int at = component.empty() ? -1 : component_at(spec, component);
  if (!component.empty() && at < 0) return unknown(spec, plan, "component", component);
  if (operation.empty()) return Part{alone ? Part::Kind::kComponent : Part::Kind::kSubtree, at};
  const std::vector<int> found = operations_named(plan, operation, at);
  if (found.empty()) return unknown(spec, plan, "operation", operation);
  if (found.size() > 1)
    return fail(Exit::kData, kCannotLook,
                fmt::format("{} operations are called '{}'", found.size(), operation),
                "Say of which component.");
  return Part{Part::Kind::kOperation, found.front()};
}

Result<snapshot::AnalysisRequest> inside_request(const spec::Spec& spec, const plan::Plan& plan,
                                                 const std::string& name, bool samples) {
  if (!samples) return no_samples();
  snapshot::AnalysisRequest out;
  out.report = snapshot::Report::kInside;
  std::vector<std::string> so_called;
  for (const spec::Component& component : spec.components)
    if (text::leaf(component.path) == name) so_called.push_back(component.path);
  if (component_at(spec, name) >= 0) {
    out.component = name;
  } else if (const auto operations = operations_named(plan, name, -1); !operations.empty()) {
    out.operation = name;
  } else if (so_called.size() == 1) {
    out.component = so_called.front();
  } else if (so_called.size() > 1) {
    return fail(Exit::kData, kCannotLook,
                fmt::format("several components are called '{}'", name.substr(0, 200)),
                fmt::format("Say which: {}.", text::listed(so_called, "or")));
  } else {
    return unknown(spec, plan, "component or operation", name);
  }
  if (auto part = part_of(spec, plan, out.component, out.operation, false); !part)
    return Unexpected(part.error());
  return out;
}

Inside inside_report(const estimate::SampleStore& store, Part part, Window window, size_t limit,
                     uint64_t& left_out) {
  const estimate::Inside found = estimate::inside(store, part, window);
  const Tree callees = cut_to(found.callees, limit), callers = cut_to(found.callers, limit);
  left_out += found.callees.size() - callees.order.size();
  left_out += found.callers.size() - callers.order.size();
  MentionedFunctions mentioned(store);
  Inside out;
  left_out += add_functions(found.functions, callees, limit, mentioned);
  out.callees = nodes_of(callees, mentioned);
  out.callers = nodes_of(callers, mentioned);
  out.functions = std::move(mentioned.functions);
  shorten_names(out.functions);
  out.total = spent(found.total);
  out.complete = found.complete;
  out.without_stack = found.without_stack;
  out.folded = found.folded;
  const estimate::Estimates all(store, window);
  const estimate::Totals& totals = all.totals();
  out.taken = totals.samples.on_samples + totals.samples.off_samples;
  out.truncated = totals.on_truncated + totals.off_truncated;
  out.broken = totals.on_broken + totals.off_broken;
  out.lost = totals.lost;
  out.off_cpu_share = all.off_cpu_share();
  out.all_cpu_ns = double(totals.cpu_ns + totals.unsampled_cpu_ns);
  return out;
}

Result<snapshot::AnalysisView> answer_inside(const RunParts& run, Window window,
                                             const snapshot::AnalysisRequest& request) {
  if (!run.samples) return no_samples();
  const auto part =
      part_of(run.spec, run.plan, request.component, request.operation, request.alone);
  if (!part) return Unexpected(part.error());
  snapshot::AnalysisView out;
  out.report = request.report;
  out.level = request.level.known().value_or(snapshot::Level::kComponent);
  out.start_ns = window.start_ns;
  out.end_ns = window.end_ns;
  Inside& inside = out.content.emplace<Inside>(
      inside_report(run.samples->store, *part, window, request.limit, out.left_out));
  out.partial = !inside.complete;
  return out;
}

}  // namespace compmond::present
