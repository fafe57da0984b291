// SPDX-License-Identifier: Apache-2.0
#include "traces/trace_parts.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

namespace compmond::traces {
namespace {

// Clocks of hosts that are set by the network differ by ms; more than this is no clock to go by.
constexpr uint64_t kClockNs = 1'000'000'000;
constexpr size_t kUsesCompared = 64;  // of one id, each with each other; a request has fewer

// One use of a value.
struct Use {
  uint64_t start_ns, end_ns;
  ExecutionPlace place;
  bool gives = false;
  uint32_t host = 0;
  uint64_t raw_ns() const { return end_ns - start_ns; }
  bool operator<(const Use& other) const {
    return std::tie(start_ns, place.trace, place.execution) <
           std::tie(other.start_ns, other.place.trace, other.place.execution);
  }
};
using Uses = std::map<std::pair<uint64_t, std::string>, std::vector<Use>>;  // by scope and value

class Splitter {
 public:
  explicit Splitter(const std::vector<Trace>& traces) : traces_(traces) {
    for (const Trace& trace : traces) {
      parent_.emplace_back(trace.executions.size());
      has_id_.emplace_back(trace.executions.size(), false);
      part_.emplace_back(trace.executions.size(), -1);
    }
    for (size_t i = 0; i < traces.size(); ++i)
      for (const TraceLink& link : traces[i].links) note(int32_t(i), link);
  }

  TraceParts run() && {
    for (auto& [value, uses] : hands_) match(uses);
    for (size_t i = 0; i < traces_.size(); ++i) split(int32_t(i));
    for (auto& [value, uses] : ids_) nest(uses);
    for (auto& [value, uses] : ids_)
      if (uses.size() <= kUsesCompared) bridge(uses);
    for (TracePart& part : out_.parts) part.parent = parent_of(part);
    join();
    return std::move(out_);
  }

 private:
  ExecutionPlace& parent(ExecutionPlace at) {
    return parent_[size_t(at.trace)][size_t(at.execution)];
  }
  int32_t part(ExecutionPlace at) const { return part_[size_t(at.trace)][size_t(at.execution)]; }
  ExecutionPlace parent_of(const TracePart& part) {
    return parent({part.trace, part.executions.front()});
  }

  void note(int32_t trace, const TraceLink& link) {
    const auto& executions = traces_[size_t(trace)].executions;
    if (link.eoi < 0 || size_t(link.eoi) >= executions.size() ||
        link.kind == ContextKind::kSessionId)
      return;
    const TracedExecution& e = executions[size_t(link.eoi)];
    const bool id = link.kind == ContextKind::kTraceId;
    if (id) has_id_[size_t(trace)][size_t(link.eoi)] = true;
    (id ? ids_ : hands_)[{link.scope, link.value}].push_back(
        {e.start_ns, e.end_ns, {trace, link.eoi}, link.kind == ContextKind::kGive, e.host});
  }

  // A parent always starts before its child: so no execution ever comes to be above itself.
  void match(std::vector<Use>& uses) {
    std::sort(uses.begin(), uses.end());
    const Use* given = nullptr;
    for (const Use& use : uses) {
      if (use.gives) {
        given = &use;
      } else if (given && given->start_ns < use.start_ns && given->place.trace != use.place.trace) {
        parent(use.place) = given->place;
        given = nullptr;
      }
    }
  }

  void split(int32_t trace) {
    const Trace& of = traces_[size_t(trace)];
    std::vector<bool> under_id(of.executions.size());
    int32_t rest = -1;
    const auto begin_part = [&] {
      out_.parts.emplace_back().trace = trace;
      return int32_t(out_.parts.size() - 1);
    };
    for (size_t i = 0; i < of.executions.size(); ++i) {
      const int32_t caller = of.caller[i];
      const bool taken = parent_[size_t(trace)][i].trace >= 0;
      const bool above = caller >= 0 && !taken && under_id[size_t(caller)];
      const bool identified = has_id_[size_t(trace)][i];
      under_id[i] = above || identified;
      int32_t& part = part_[size_t(trace)][i];
      if (taken || (identified && !above))
        part = begin_part();
      else if (caller >= 0)
        part = part_[size_t(trace)][size_t(caller)];
      else
        part = rest >= 0 ? rest : rest = begin_part();
      out_.parts[size_t(part)].executions.push_back(int32_t(i));
    }
  }

  bool begins_part(const Use& use) const {
    return out_.parts[size_t(part(use.place))].executions.front() == use.place.execution;
  }

  // The uses of one trace id: what begins a part gets the innermost one of another thread that is
  // open then as its parent.
  void nest(std::vector<Use>& uses) {
    std::sort(uses.begin(), uses.end());
    std::vector<const Use*> open;  // and some that have ended
    for (const Use& use : uses) {
      if (begins_part(use) && parent(use.place).trace < 0) parent(use.place) = innermost(open, use);
      open.push_back(&use);
    }
  }

  static ExecutionPlace innermost(std::vector<const Use*>& open, const Use& use) {
    for (size_t i = open.size(); i-- > 0;) {
      if (open[i]->end_ns <= use.start_ns)
        open.erase(open.begin() + ptrdiff_t(i));
      else if (open[i]->place.trace != use.place.trace && open[i]->start_ns < use.start_ns)
        return open[i]->place;
    }
    return {};
  }

  // Where no open call was found, the clocks of two hosts may be why: then the parent is the call
  // with the same id on another host that lasted as long, and is the least off.
  void bridge(const std::vector<Use>& uses) {
    for (const Use& use : uses) {
      if (!begins_part(use) || parent(use.place).trace >= 0) continue;
      const Use* best = nullptr;
      auto least = std::pair(kClockNs, UINT64_MAX);
      for (const Use& other : uses) {
        if (other.host == use.host || other.raw_ns() < use.raw_ns()) continue;
        const auto off = std::pair(clocks_off(other, use), other.raw_ns());
        if (off >= least || is_below(other.place, part(use.place))) continue;
        least = off;
        best = &other;
      }
      if (best) parent(use.place) = best->place;
    }
  }

  // How far the inner one must be moved to lie within the outer one.
  static uint64_t clocks_off(const Use& outer, const Use& inner) {
    if (inner.start_ns < outer.start_ns) return outer.start_ns - inner.start_ns;
    return inner.end_ns > outer.end_ns ? inner.end_ns - outer.end_ns : 0;
  }

  // Whether the execution belongs to the part, or to one that hangs below it.
  bool is_below(ExecutionPlace at, int32_t of) {
    while (at.trace >= 0 && part(at) != of) at = parent_of(out_.parts[size_t(part(at))]);
    return at.trace >= 0;
  }

  void join() {
    std::vector<uint32_t> above(out_.parts.size());
    std::iota(above.begin(), above.end(), 0u);
    const auto root = [&](uint32_t part) {
      while (above[part] != part) part = above[part] = above[above[part]];
      return part;
    };
    const auto unite = [&](int32_t a, int32_t b) { above[root(uint32_t(a))] = root(uint32_t(b)); };
    for (size_t i = 0; i < out_.parts.size(); ++i)
      if (const ExecutionPlace at = out_.parts[i].parent; at.trace >= 0)
        unite(int32_t(i), part(at));
    for (const auto& [value, uses] : ids_)
      for (const Use& use : uses)
        if (value.first == 0) unite(part(use.place), part(uses.front().place));
    std::vector<int64_t> number(out_.parts.size(), -1);
    for (size_t i = 0; i < out_.parts.size(); ++i) {
      int64_t& of = number[root(uint32_t(i))];
      if (of < 0) of = out_.linked++;
      out_.parts[i].linked = uint32_t(of);
    }
  }

  const std::vector<Trace>& traces_;
  Uses ids_, hands_;
  std::vector<std::vector<ExecutionPlace>> parent_;  // per execution, where it has a new one
  std::vector<std::vector<bool>> has_id_;            // per execution: whether it has a trace id
  std::vector<std::vector<int32_t>> part_;           // per execution: its part
  TraceParts out_;
};

}  // namespace

TraceParts split_traces(const std::vector<Trace>& traces) { return Splitter(traces).run(); }

}  // namespace compmond::traces
