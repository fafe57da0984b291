// SPDX-License-Identifier: Apache-2.0
#include "present/analysis_reports.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "graphs/call_tree.h"
#include "graphs/dependency_graph.h"
#include "graphs/equivalence.h"
#include "graphs/markov.h"

namespace compmond::present {
namespace {

using snapshot::AnalysisRequest;
using snapshot::AnalysisView;
using snapshot::Report;
using snapshot::TraceRow;
using traces::Trace;
using traces::TracedExecution;

using Operations = std::vector<AnalysisView::Operation>;

// Numbers the operations that an answer mentions.
class Mentioned {
 public:
  Mentioned(const traces::Catalogue& catalogue, Operations& out)
      : catalogue_(catalogue), out_(out), numbers_(catalogue.operations().size(), kNone) {}

  uint32_t number(uint32_t operation) {
    uint32_t& number = numbers_[operation];
    if (number == kNone) {
      number = uint32_t(out_.size());
      const traces::TracedOperation& of = catalogue_.operations()[operation];
      out_.push_back({of.component, of.name});
    }
    return number;
  }
  const Operations& operations() const { return out_; }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  const traces::Catalogue& catalogue_;
  Operations& out_;
  std::vector<uint32_t> numbers_;
};

uint32_t threads_of(const Trace& trace) {
  if (trace.part.empty()) return 1;  // not joined
  std::set<uint32_t> threads;
  for (const TracedExecution& e : trace.executions) threads.insert(e.thread);
  return uint32_t(threads.size());
}

TraceRow row_of(const Chosen& chosen, const Trace& trace, uint32_t class_number,
                Mentioned& mentioned) {
  const record::ThreadInfo& thread =
      thread_info(chosen.run.checkpoint, trace.executions.front().thread);
  TraceRow row;
  row.id = uint64_t(trace.id);
  row.pid = thread.pid;
  row.tid = thread.tid;
  row.start_ns = trace.start_ns();
  row.end_ns = trace.end_ns();
  row.operation = mentioned.number(trace.executions.front().operation);
  row.executions = uint32_t(trace.executions.size());
  row.max_depth = uint32_t(trace.max_depth());
  row.class_number = class_number;
  row.failed = std::ranges::any_of(trace.executions, &TracedExecution::failed);
  row.threads = threads_of(trace);
  row.session = chosen.catalogue.sessions()[trace.executions.front().session];
  return row;
}

bool before(const Operations& operations, snapshot::Sort sort, const TraceRow& a,
            const TraceRow& b) {
  const auto by = [&](auto key) {
    return std::tuple(key(a), a.start_ns, a.id) < std::tuple(key(b), b.start_ns, b.id);
  };
  switch (sort) {
    case snapshot::Sort::kDuration:
      return by([](const TraceRow& r) { return r.end_ns - r.start_ns; });
    case snapshot::Sort::kExecutions:
      return by([](const TraceRow& r) { return r.executions; });
    case snapshot::Sort::kDepth:
      return by([](const TraceRow& r) { return r.max_depth; });
    case snapshot::Sort::kClass:
      return by([](const TraceRow& r) { return r.class_number; });
    case snapshot::Sort::kOperation:
      return by([&](const TraceRow& r) {
        const auto& operation = operations[r.operation];
        return std::tie(operation.component, operation.name);
      });
    case snapshot::Sort::kStart:
      break;
  }
  return by([](const TraceRow& r) { return r.start_ns; });
}

snapshot::Traces traces(const Chosen& chosen, const AnalysisRequest& request, Mentioned& mentioned,
                        uint64_t& left_out) {
  snapshot::Traces out;
  for (size_t i = 0; i < chosen.traces.size(); ++i)
    out.rows.push_back(row_of(chosen, *chosen.traces[i], chosen.class_numbers[i], mentioned));
  const size_t shown = std::min<size_t>(request.limit, out.rows.size());
  const auto sort = request.sort.known().value_or(snapshot::Sort::kStart);
  const Operations& names = mentioned.operations();
  std::ranges::partial_sort(
      out.rows, out.rows.begin() + ptrdiff_t(shown), [&](const auto& a, const auto& b) {
        return request.ascending ? before(names, sort, a, b) : before(names, sort, b, a);
      });
  left_out = out.rows.size() - shown;
  out.rows.resize(shown);
  return out;
}

// Its representative is the newest of a class.
graphs::EquivalenceClasses classes_of(const Chosen& chosen) {
  graphs::EquivalenceClasses classes(false);
  for (size_t i = chosen.traces.size(); i-- > 0;) classes.add(*chosen.traces[i]);
  return classes;
}

snapshot::Classes classes(const Chosen& chosen, const AnalysisRequest& request,
                          Mentioned& mentioned, uint64_t& left_out) {
  snapshot::Classes out;
  std::unordered_map<int64_t, uint32_t> number_of;  // by trace
  for (size_t i = 0; i < chosen.traces.size(); ++i)
    number_of[chosen.traces[i]->id] = chosen.class_numbers[i];
  const graphs::EquivalenceClasses all = classes_of(chosen);
  for (const uint32_t position : all.by_cardinality()) {
    if (out.rows.size() >= request.limit) break;
    const graphs::EquivalenceClass& of = all.classes()[position];
    const Trace& trace = of.representative;
    const graphs::RawTimes& whole = of.raw.front();
    out.rows.push_back({number_of[trace.id], of.cardinality,
                        mentioned.number(trace.executions.front().operation),
                        uint32_t(trace.executions.size()), uint32_t(trace.max_depth()),
                        uint64_t(trace.id), whole.min_ns, whole.mean_ns(), whole.max_ns});
  }
  left_out = all.classes().size() - out.rows.size();
  return out;
}

snapshot::OneTrace steps(const Chosen& chosen, const AnalysisRequest& request, Mentioned& mentioned,
                         uint64_t& left_out) {
  snapshot::OneTrace out;
  if (chosen.traces.empty()) return out;
  const Trace& trace = *chosen.traces.back();  // the newest
  out.trace = row_of(chosen, trace, chosen.class_numbers.back(), mentioned);
  const std::vector<uint64_t> real_ns = trace.real_ns();
  const size_t shown = std::min<size_t>(request.limit, trace.executions.size());
  for (size_t i = 0; i < shown; ++i) {
    const TracedExecution& e = trace.executions[i];
    const record::ThreadInfo& thread = thread_info(chosen.run.checkpoint, e.thread);
    out.steps.push_back({mentioned.number(e.operation), trace.caller[i], thread.pid, thread.tid,
                         e.start_ns, e.end_ns, real_ns[i], uint32_t(e.eoi), uint32_t(e.ess),
                         e.failed});
  }
  left_out = trace.executions.size() - shown;
  return out;
}

// The nodes with the most raw time among those whose parents are there.
std::vector<char> heaviest(const std::vector<graphs::CallTree::Node>& nodes, size_t limit) {
  std::vector<char> kept(nodes.size(), 0);
  std::priority_queue<std::tuple<uint64_t, uint64_t, uint32_t>> next;
  next.emplace(UINT64_MAX, 0, 0);
  for (size_t count = 0; count < limit && !next.empty(); ++count) {
    const uint32_t node = std::get<2>(next.top());
    next.pop();
    kept[node] = 1;
    for (const uint32_t child : nodes[node].children)
      next.emplace(nodes[child].raw_ns, nodes.size() - child, child);  // the first of equal ones
  }
  return kept;
}

graphs::CallTree tree_of(const Chosen& chosen, const AnalysisRequest& request) {
  using graphs::CallTree;
  const graphs::Naming naming;  // operations
  if (request.class_number && !request.trace && !chosen.traces.empty())
    return graphs::call_tree(classes_of(chosen).classes().front(), chosen.catalogue, naming);
  CallTree tree(chosen.catalogue, naming,
                request.trace ? CallTree::Kind::kDynamic : CallTree::Kind::kAggregated);
  for (const Trace* trace : chosen.traces) tree.add(*trace);
  return tree;
}

snapshot::CallTree call_tree(const Chosen& chosen, const AnalysisRequest& request,
                             Mentioned& mentioned, uint64_t& left_out) {
  const graphs::CallTree tree = tree_of(chosen, request);
  const auto& nodes = tree.nodes();
  const std::vector<char> kept = heaviest(nodes, request.limit);
  std::map<std::pair<std::string_view, std::string_view>, uint32_t> numbers;
  const auto& operations = chosen.catalogue.operations();
  for (uint32_t i = 0; i < operations.size(); ++i)
    numbers[{operations[i].component, operations[i].name}] = i;
  const auto operation = [&](int32_t thing) -> int64_t {
    if (thing < 0) return -1;
    const auto& names = tree.names();
    return mentioned.number(
        numbers.at({names.component(uint32_t(thing)), names.operation(uint32_t(thing))}));
  };
  snapshot::CallTree out;
  std::vector<uint32_t> order{0};  // parents before children, siblings together
  std::vector<int32_t> parent{-1};
  for (size_t i = 0; i < order.size(); ++i) {
    const graphs::CallTree::Node& node = nodes[order[i]];
    out.nodes.push_back({parent[i], operation(node.thing), node.count, node.raw_ns, node.real_ns});
    for (const uint32_t child : node.children)
      if (kept[child]) {
        order.push_back(child);
        parent.push_back(int32_t(i));
      }
  }
  left_out = nodes.size() - out.nodes.size();
  return out;
}

graphs::Naming naming_of(const AnalysisView& view) {
  return {view.level == snapshot::Level::kOperation ? graphs::Level::kOperation
                                                    : graphs::Level::kComponent};
}

std::vector<snapshot::GraphNode> named(const graphs::Nodes& nodes) {
  std::vector<snapshot::GraphNode> out;
  for (uint32_t i = 0; i < nodes.size(); ++i)
    out.push_back({nodes.component(i), nodes.operation(i)});
  return out;
}

// Keeps those that count most, in their order.
template <class T>
void keep_most(std::vector<T>& list, size_t limit, uint64_t& left_out) {
  if (list.size() <= limit) return;
  std::vector<uint64_t> counts;
  for (const T& one : list) counts.push_back(one.count);
  std::ranges::nth_element(counts, counts.begin() + ptrdiff_t(limit) - 1, std::greater<>());
  const uint64_t least = counts[limit - 1];
  size_t room = limit - size_t(std::ranges::count_if(list, [&](const T& one) {
                  return one.count > least;
                }));  // for those that count as many
  left_out += list.size() - limit;
  std::erase_if(list, [&](const T& one) {
    if (one.count != least) return one.count < least;
    if (room == 0) return true;
    --room;
    return false;
  });
}

snapshot::DependencyGraph dependency_graph(const Chosen& chosen, graphs::Naming naming,
                                           size_t limit, uint64_t& left_out) {
  graphs::DependencyGraph graph(chosen.catalogue, naming);
  for (const Trace* trace : chosen.traces) graph.add(*trace);
  snapshot::DependencyGraph out{named(graph.nodes()), {}};
  for (const auto& edge : graph.edges())
    out.edges.push_back(
        {edge.from, edge.to, edge.raw.count, edge.raw.min_ns, edge.raw.mean_ns(), edge.raw.max_ns});
  keep_most(out.edges, limit, left_out);
  return out;
}

snapshot::Markov markov(const Chosen& chosen, graphs::Naming naming, size_t limit,
                        uint64_t& left_out) {
  graphs::MarkovChain chain(chosen.catalogue, naming);
  for (const Trace* trace : chosen.traces) chain.add(*trace);
  snapshot::Markov out{named(chain.nodes()), {}, {}};
  for (const auto& state : chain.states())
    out.states.push_back({state.from, state.to, state.kind == graphs::Message::Kind::kCall});
  for (const auto& edge : chain.edges())
    out.transitions.push_back({edge.from, edge.to, edge.probability, edge.count});
  keep_most(out.transitions, limit, left_out);
  return out;
}

// Notes in `out` also the operations that it mentions, and how much is left out.
snapshot::ReportContent content_of(Report report, const Chosen& chosen,
                                   const AnalysisRequest& request, AnalysisView& out) {
  Mentioned mentioned(chosen.catalogue, out.operations);
  switch (report) {
    case Report::kTraces:
      return traces(chosen, request, mentioned, out.left_out);
    case Report::kClasses:
      return classes(chosen, request, mentioned, out.left_out);
    case Report::kTrace:
      return steps(chosen, request, mentioned, out.left_out);
    case Report::kCallTree:
      return call_tree(chosen, request, mentioned, out.left_out);
    case Report::kDependencyGraph:
      return dependency_graph(chosen, naming_of(out), request.limit, out.left_out);
    case Report::kMarkov:
      return markov(chosen, naming_of(out), request.limit, out.left_out);
    case Report::kInside:  // of samples, not of traces
      break;
  }
  return {};
}

}  // namespace

void fill_report(const Chosen& chosen, const AnalysisRequest& request, AnalysisView& out) {
  out.traces = chosen.traces.size();
  for (const Trace* trace : chosen.traces) out.executions += trace->executions.size();
  if (!request.report.known()) return;  // refused by check_analysis
  out.content = content_of(*request.report.known(), chosen, request, out);
}

}  // namespace compmond::present
