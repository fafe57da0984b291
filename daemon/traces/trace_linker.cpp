// SPDX-License-Identifier: Apache-2.0
#include "traces/trace_linker.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

namespace compmond::traces {
namespace {

constexpr int64_t kNone = -1;

// An execution and what it hangs below, as numbers: those of all traces counted through.
struct Branch {
  int64_t parent;  // kNone: at the bottom
  uint64_t start_ns;
  int64_t node;
  ExecutionPlace place;
  uint32_t part;
  bool operator<(const Branch& other) const {
    return std::tie(parent, start_ns, node) < std::tie(other.parent, other.start_ns, other.node);
  }
};

// Sessions by position: each execution has that of the nearest one below it, the others the only
// one there is; kNone where that says nothing.
void spread(const Trace& trace, std::vector<int64_t>& sessions) {
  int64_t only = kNone;
  bool several = false;
  for (size_t i = 0; i < sessions.size(); ++i) {
    if (sessions[i] == kNone && trace.caller[i] >= 0)
      sessions[i] = sessions[size_t(trace.caller[i])];
    if (sessions[i] == kNone) continue;
    several |= only != kNone && only != sessions[i];
    only = sessions[i];
  }
  if (!several) std::replace(sessions.begin(), sessions.end(), kNone, only);
}

}  // namespace

struct TraceLinker::Held {
  Held(const std::vector<Trace>& held, Catalogue& catalogue) : traces(held) {
    offsets.push_back(0);
    for (const Trace& trace : held) {
      offsets.push_back(offsets.back() + int64_t(trace.executions.size()));
      own_ns.push_back(trace.real_ns());
      probes_ns.push_back(trace.probes_ns());
      auto& of = sessions.emplace_back(trace.executions.size(), kNone);
      for (const TraceLink& link : trace.links)
        if (link.kind == ContextKind::kSessionId && size_t(link.eoi) < of.size())
          of[size_t(link.eoi)] = catalogue.session(link.value);
    }
  }
  const TracedExecution& at(ExecutionPlace place) const {
    return traces[size_t(place.trace)].executions[size_t(place.execution)];
  }
  int64_t node(ExecutionPlace place) const {
    return place.trace < 0 || place.execution < 0 ? kNone
                                                  : offsets[size_t(place.trace)] + place.execution;
  }
  uint64_t start_ns(const TracePart& part) const {
    return at({part.trace, part.executions.front()}).start_ns;
  }

  const std::vector<Trace>& traces;
  std::vector<int64_t> offsets;
  std::vector<std::vector<uint64_t>> own_ns;
  std::vector<std::vector<double>> probes_ns;
  std::vector<std::vector<int64_t>> sessions;
};

void TraceLinker::add(const Trace& trace) {
  if (trace.links.empty()) return deliver(trace);
  held_.push_back(trace);
  held_executions_ += trace.executions.size();
  if (held_executions_ <= held_limit_) return;
  ++counts_.early;
  link_held();
}

void TraceLinker::deliver(const Trace& trace) {
  ++counts_.traces;
  deliver_(trace);
}

void TraceLinker::link_held() {
  const TraceParts split = split_traces(held_);
  const Held held(held_, catalogue_);
  struct Group {
    uint64_t start_ns = UINT64_MAX;
    std::vector<const TracePart*> parts;
  };
  std::vector<Group> groups(split.linked);
  for (const TracePart& part : split.parts) {
    groups[part.linked].parts.push_back(&part);
    groups[part.linked].start_ns = std::min(groups[part.linked].start_ns, held.start_ns(part));
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.start_ns < b.start_ns; });
  for (const Group& group : groups) {
    counts_.linked += group.parts.size() > 1;
    deliver(merge(group.parts, held));
  }
  held_.clear();
  held_executions_ = 0;
}

Trace TraceLinker::merge(const std::vector<const TracePart*>& parts, const Held& held) {
  std::vector<Branch> branches;
  for (uint32_t number = 0; number < parts.size(); ++number) {
    const TracePart& part = *parts[number];
    const Trace& of = held_[size_t(part.trace)];
    for (const int32_t i : part.executions) {
      const ExecutionPlace place{part.trace, i};
      const ExecutionPlace below = i == part.executions.front()
                                       ? part.parent
                                       : ExecutionPlace{part.trace, of.caller[size_t(i)]};
      branches.push_back(
          {held.node(below), held.at(place).start_ns, held.node(place), place, number});
    }
  }
  std::sort(branches.begin(), branches.end());

  struct Next {
    const Branch* branch;
    int32_t caller;
  };
  std::vector<Next> stack;
  // What hangs below a node, so that the earliest comes off the stack first.
  const auto push = [&](int64_t node, int32_t caller) {
    const size_t base = stack.size();
    auto at = std::lower_bound(branches.begin(), branches.end(), node,
                               [](const Branch& b, int64_t parent) { return b.parent < parent; });
    for (; at != branches.end() && at->parent == node; ++at) stack.push_back({&*at, caller});
    std::reverse(stack.begin() + ptrdiff_t(base), stack.end());
  };
  Trace out;
  std::vector<int64_t> sessions;
  push(kNone, -1);
  out.id = id_of(stack.back().branch->place);
  while (!stack.empty()) {
    const auto [branch, caller] = stack.back();
    stack.pop_back();
    const ExecutionPlace place = branch->place;
    TracedExecution& e = out.executions.emplace_back(held.at(place));
    e.trace_id = out.id;
    e.eoi = int32_t(out.executions.size() - 1);
    e.ess = caller < 0 ? 0 : out.executions[size_t(caller)].ess + 1;
    out.caller.push_back(caller);
    out.own_ns.push_back(held.own_ns[size_t(place.trace)][size_t(place.execution)]);
    out.own_probes_ns.push_back(held.probes_ns[size_t(place.trace)][size_t(place.execution)]);
    out.part.push_back(branch->part);
    sessions.push_back(held.sessions[size_t(place.trace)][size_t(place.execution)]);
    push(branch->node, e.eoi);
  }
  spread(out, sessions);
  for (size_t i = 0; i < sessions.size(); ++i)
    if (sessions[i] != kNone) out.executions[i].session = uint32_t(sessions[i]);
  return out;
}

// That of the thread's trace where it begins with that one; else one of its own.
int64_t TraceLinker::id_of(ExecutionPlace first) {
  const int64_t id = held_[size_t(first.trace)].id;
  if (first.execution == 0) return id;
  if (number_) return number_(id, first.execution);
  const int64_t log = id / kTracesPerLog;
  return log * kTracesPerLog + kFirstLinkedTrace + next_id_[log]++;
}

}  // namespace compmond::traces
