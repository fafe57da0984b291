// SPDX-License-Identifier: Apache-2.0
#include "traces/window_links.h"

#include <algorithm>
#include <utility>

#include "core/limits.h"
#include "traces/context_link.h"
#include "traces/trace_linker.h"

namespace compmond::traces {
namespace {

// Above all traces of threads; exact in a double.
constexpr int64_t kFirstNumber = int64_t(1) << 52;

// What was said of these traces, as their links. Returns whether anything was.
bool add_links(const history::Store& store, const history::Checkpoint& checkpoint,
               std::vector<Trace>& traces) {
  if (traces.empty()) return false;
  std::unordered_map<uint64_t, Trace*> by_id;
  uint64_t first = UINT64_MAX, last = 0;
  for (Trace& trace : traces) {
    by_id.emplace(uint64_t(trace.id), &trace);
    first = std::min(first, uint64_t(trace.id));
    last = std::max(last, uint64_t(trace.id));
  }
  bool any = false;
  for (const auto& said : store.contexts().of_traces(first, last)) {
    const auto at = by_id.find(said.trace_id);
    if (at == by_id.end()) continue;
    Trace& trace = *at->second;
    if (said.eoi >= trace.executions.size()) continue;
    const record::ThreadInfo& thread = thread_info(checkpoint, trace.executions[said.eoi].thread);
    if (auto link = link_of(said.context, said.eoi, 0, uint32_t(thread.pid))) {
      trace.links.push_back(std::move(*link));
      any = true;
    }
  }
  return any;
}

// Traces numbered up to `last` go: what was said of them is not known.
void leave_out(uint64_t last, WindowTraces& traces) {
  uint64_t since_ns = 0;
  for (const Trace& trace : traces.traces)
    if (uint64_t(trace.id) <= last) since_ns = std::max(since_ns, trace.start_ns() + 1);
  if (since_ns == 0) return;
  std::erase_if(traces.traces, [&](const Trace& trace) { return trace.start_ns() < since_ns; });
  traces.partial = true;
  traces.analysed_since_ns = std::max(traces.analysed_since_ns, since_ns);
}

}  // namespace

int64_t WindowLinks::number(int64_t trace, int32_t eoi) {
  if (origins_.size() >= limits::kJoinedTraces) {
    numbers_.clear();
    origins_.clear();
  }
  const auto [at, added] = numbers_[trace].emplace(eoi, kFirstNumber + given_);
  if (added) {
    origins_[at->second] = trace;
    ++given_;
  }
  return at->second;
}

uint64_t WindowLinks::thread_trace(uint64_t id) const {
  const auto origin = origins_.find(int64_t(id));
  return origin == origins_.end() ? id : uint64_t(origin->second);
}

void WindowLinks::join(const history::Store& store, const history::Checkpoint& checkpoint,
                       WindowTraces& traces) {
  if (store.contexts().empty()) return;
  leave_out(store.contexts().lost_up_to(), traces);
  if (!add_links(store, checkpoint, traces.traces)) return;
  std::vector<Trace> joined;
  TraceLinker linker(
      catalogue_, [&](const Trace& trace) { joined.push_back(trace); }, SIZE_MAX,
      [this](int64_t trace, int32_t eoi) { return number(trace, eoi); });
  for (const Trace& trace : traces.traces) linker.add(trace);
  linker.finish();
  std::ranges::stable_sort(joined, {}, [](const Trace& trace) { return trace.end_ns(); });
  traces.traces = std::move(joined);
}

}  // namespace compmond::traces
