// SPDX-License-Identifier: Apache-2.0
#include "present/trace_analyst.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "core/limits.h"
#include "figures/tally.h"
#include "graphs/control_flow.h"
#include "machine/host.h"
#include "present/inside.h"
#include "present/view_answer.h"
#include "text/match.h"
#include "text/nearest.h"

namespace compmond::present {
namespace {

using snapshot::AnalysisRequest;
using snapshot::AnalysisView;
using traces::Trace;
using traces::TracedExecution;

constexpr size_t kSessionNames = 20'000;  // beside those of the window that is asked for

// Of that time, in which all probes were there; none: the whole of it.
std::optional<double> share_observed(const RunParts& run, Window of) {
  std::vector<size_t> all(run.plan.operations.size());
  std::iota(all.begin(), all.end(), size_t(0));
  const double share = observed_share(run, all, of);
  return share < 1 ? std::optional(share) : std::nullopt;
}

// Leaves out those in whose time some probes were not there: what these do is not in them.
void leave_out_not_seen(const RunParts& run, traces::WindowTraces& from) {
  std::vector<size_t> all(run.plan.operations.size());
  std::iota(all.begin(), all.end(), size_t(0));
  const std::vector<Window> away = plan::away_in(run.states, all, {0, run.checkpoint.as_of_ns});
  from.broken += std::erase_if(from.traces, [&](const Trace& trace) {
    const auto next = std::ranges::upper_bound(away, trace.start_ns(), {}, &Window::end_ns);
    return next != away.end() && next->start_ns <= trace.end_ns();
  });
}

}  // namespace

Result<void> check_analysis(const AnalysisRequest& request) {
  const auto wrong = [](const char* place, const std::string& why) -> Unexpected {
    return fail(Exit::kData, "cannot answer this", fmt::format("/analysis/{} {}", place, why),
                "docs/protocol.md has all analyses and their bounds.");
  };
  if (!request.report.known())
    return wrong("report",
                 fmt::format("is '{}', which is none", request.report.text().substr(0, 60)));
  if (!request.sort.empty() && !request.sort.known())
    return wrong("sort",
                 fmt::format("is '{}', which is no column", request.sort.text().substr(0, 60)));
  if (!request.level.empty() && !request.level.known())
    return wrong("level", fmt::format("is '{}'; there are {}", request.level.text().substr(0, 60),
                                      text::listed(all_words<snapshot::Level>(), "and")));
  if (request.limit < 1 || request.limit > limits::kExecutionsShown)
    return wrong("limit", "is not from 1 to 20,000");
  return {};
}

TraceAnalyst::TraceAnalyst() : links_(catalogue_) { catalogue_.session(""); }

// Those of one window are at most as many as its executions.
void TraceAnalyst::bound_sessions() {
  if (sessions() <= kSessionNames) return;
  assembled_.reset();
  looked_.reset();
  catalogue_.forget_sessions();
  catalogue_.session("");
}

void TraceAnalyst::catalogue(const RunParts& run) {
  const auto& operations = run.plan.operations;
  auto& numbers = operations_.numbers;
  for (size_t i = numbers.size(); i < operations.size(); ++i) {
    const std::string& component = run.spec.components[size_t(operations[i].component)].path;
    const uint32_t number = catalogue_.operation(component, operations[i].name);
    numbers.push_back(number);
    if (number == operation_of_.size()) operation_of_.push_back(figures::OperationId(i));
  }
  operations_.model = model_of(run);
  catalogue_programs(run);
}

// Of processes that are forgotten, what their threads were known to execute stays.
void TraceAnalyst::catalogue_programs(const RunParts& run) {
  if (catalogue_.hosts().empty()) catalogue_.host(run.host.empty() ? this_host().name : run.host);
  if (run.processes_are_hosts && operations_.program_of.empty()) {
    // Of several hosts, operations stand below theirs.
    const auto path_of = [&](const plan::PlannedOperation& op) -> const std::string& {
      return run.spec.components[size_t(op.component)].path;
    };
    if (std::ranges::all_of(run.plan.operations, [&](const plan::PlannedOperation& op) {
          return path_of(op).find('/') != std::string::npos;
        }))
      for (const plan::PlannedOperation& op : run.plan.operations)
        operations_.program_of.push_back(
            catalogue_.program(path_of(op).substr(0, path_of(op).find('/'))));
  }
  std::vector<std::string> all;
  for (const target::Program& program : run.programs) all.push_back(program.exe);
  std::unordered_map<uint64_t, uint32_t> of_process;
  for (const target::ObservedProcess& process : run.processes.all())
    of_process[uint64_t(process.pid)] = catalogue_.program(traces::program_name(process.exe, all));
  std::unordered_map<trace::ThreadId, uint32_t> before;
  before.swap(operations_.programs);
  for (const history::ThreadTotals& thread : run.checkpoint.threads) {
    const auto told = of_process.find(thread.info.pid);
    const auto known = before.find(thread.thread);
    if (told != of_process.end())
      operations_.programs.emplace(thread.thread, told->second);
    else if (known != before.end())
      operations_.programs.insert(*known);
  }
  operations_.other_program =
      run.programs.size() == 1
          ? catalogue_.program(traces::program_name(run.programs.front().exe, all))
          : 0;
}

// Classes that appear together are numbered by size, so the first ones matter most.
std::vector<uint32_t> TraceAnalyst::number(const std::vector<Trace>& traces) {
  std::vector<uint64_t> flows;
  std::vector<std::pair<uint64_t, uint64_t>> fresh;  // control flow, traces
  std::unordered_map<uint64_t, size_t> place;        // in fresh
  for (const Trace& trace : traces) {
    const uint64_t flow = flows.emplace_back(graphs::control_flow(trace, false));
    if (class_numbers_.contains(flow)) continue;
    const auto [at, added] = place.emplace(flow, fresh.size());
    if (added) fresh.emplace_back(flow, 0);
    ++fresh[at->second].second;
  }
  std::ranges::stable_sort(fresh, [](auto& a, auto& b) { return a.second > b.second; });
  if (!class_numbers_.empty() && class_numbers_.size() + fresh.size() > limits::kTraceClasses) {
    class_numbers_.clear();
    return number(traces);
  }
  for (const auto& [flow, count] : fresh)
    class_numbers_.emplace(flow, uint32_t(class_numbers_.size() + 1));
  std::vector<uint32_t> out;
  for (const uint64_t flow : flows) out.push_back(class_numbers_.at(flow));
  return out;
}

traces::WindowTraces TraceAnalyst::traces_of(const RunParts& run, Window window) {
  auto out = traces::window_traces(run.store, run.checkpoint, operations_, window,
                                   limits::kTracedExecutions);
  links_.join(run.store, run.checkpoint, out);
  leave_out_not_seen(run, out);
  return out;
}

void TraceAnalyst::assemble(const RunParts& run, Window window) {
  const auto& checkpoint = run.checkpoint;
  if (assembled_ && assembled_->store == &run.store &&
      assembled_->as_of_ns == checkpoint.as_of_ns &&
      assembled_->end_execution == checkpoint.end_execution &&
      assembled_->window.start_ns == window.start_ns && assembled_->window.end_ns == window.end_ns)
    return;
  if (assembled_ && (assembled_->store != &run.store || assembled_->as_of_ns > checkpoint.as_of_ns))
    looked_.reset();  // another run of the same log
  assembled_.reset();
  Assembled fresh{&run.store, checkpoint.as_of_ns, checkpoint.end_execution, window, {}, {}};
  fresh.found = traces_of(run, window);
  fresh.class_numbers = number(fresh.found.traces);
  assembled_ = std::move(fresh);
}

// A trace that has ended stays as it is, so one look is enough.
const traces::WindowTraces& TraceAnalyst::look_for(const RunParts& run, uint64_t id) {
  const bool known = looked_ && looked_->id == id && looked_->store == &run.store &&
                     looked_->found.unfinished == 0;
  if (known) return looked_->found;
  looked_ = Looked{id, &run.store, {}};
  const auto& here = assembled_->found.traces;
  if (const auto found = std::ranges::find(here, int64_t(id), &Trace::id); found != here.end())
    looked_->found.traces.push_back(*found);
  else
    looked_->found = look_back_for(run, id);
  return looked_->found;
}

// The trace of a thread also where it is now a part of a joined one.
traces::WindowTraces TraceAnalyst::look_back_for(const RunParts& run, uint64_t id) {
  const uint64_t of_thread = links_.thread_trace(id);
  auto out = traces::retained_trace(run.store, run.checkpoint, operations_, of_thread,
                                    limits::kTracedExecutions);
  if (out.traces.empty() || run.store.contexts().empty()) return out;
  const TracedExecution first = out.traces.front().executions.front();
  const auto is_first = [&](const TracedExecution& e) {
    return e.thread == first.thread && e.start_ns == first.start_ns &&
           e.operation == first.operation;
  };
  auto around = traces_of(run, {first.start_ns, first.end_ns + 1});
  const auto found = std::ranges::find_if(around.traces, [&](const Trace& trace) {
    return of_thread == id ? std::ranges::any_of(trace.executions, is_first)
                           : trace.id == int64_t(id);
  });
  if (found != around.traces.end()) {
    out.traces = {std::move(*found)};
  } else if (of_thread != id) {
    out.traces.clear();
    out.partial = true;
  }
  return out;
}

Chosen TraceAnalyst::choose(const RunParts& run, const figures::Filter& filter,
                            const figures::Filter& wanted, const AnalysisRequest& request) const {
  const figures::Model model = model_of(run);
  const figures::Sieve of_view(model, filter), of_request(model, wanted);
  const bool all = !filter.any() && !wanted.any() && request.search.empty();
  std::vector<char> found;  // per operation of the catalogue: the search names it
  for (const auto& operation : catalogue_.operations())
    found.push_back(text::contains(operation.component, request.search) ||
                    text::contains(operation.name, request.search));
  const auto has = [](const Trace& trace, auto passes) {
    return std::ranges::any_of(trace.executions, passes);
  };
  const auto passes = [&](const figures::Sieve& sieve) {
    return [&](const TracedExecution& e) {
      return sieve.passes(operation_of_[e.operation], e.thread, e.raw_ns());
    };
  };
  Chosen out{run.checkpoint, catalogue_, {}, {}, run.processes_are_hosts};
  const auto& traces = assembled_->found.traces;
  for (size_t i = 0; i < traces.size(); ++i) {
    const Trace& trace = traces[i];
    const uint32_t number = assembled_->class_numbers[i];
    if (request.class_number && number != *request.class_number) continue;
    if (request.min_duration_ns > 0 && trace.end_ns() - trace.start_ns() < request.min_duration_ns)
      continue;
    if (!all && !(has(trace, passes(of_view)) && has(trace, passes(of_request)) &&
                  has(trace, [&](const TracedExecution& e) { return found[e.operation] != 0; })))
      continue;
    out.traces.push_back(&trace);
    out.class_numbers.push_back(number);
  }
  return out;
}

Result<AnalysisView> TraceAnalyst::answer(const RunParts& run, Window window,
                                          const figures::Filter& filter,
                                          const AnalysisRequest& request) {
  if (auto fine = check_analysis(request); !fine) return Unexpected(fine.error());
  if (request.report == snapshot::Report::kInside) return answer_inside(run, window, request);
  snapshot::ViewFilter names;
  if (!request.component.empty()) names.components.push_back(request.component);
  if (!request.operation.empty()) names.operations.push_back(request.operation);
  const auto wanted = filter_of(run, names);
  if (!wanted) return Unexpected(wanted.error());
  catalogue(run);
  bound_sessions();
  assemble(run, window);

  AnalysisView out;
  out.report = request.report;
  out.level = request.level.known().value_or(snapshot::Level::kComponent);
  out.start_ns = window.start_ns;
  out.end_ns = window.end_ns;
  const bool single = request.trace && (request.report == snapshot::Report::kTrace ||
                                        request.report == snapshot::Report::kCallTree);
  const traces::WindowTraces& found = single ? look_for(run, *request.trace) : assembled_->found;
  const auto alone = [&] {
    Chosen chosen{run.checkpoint, catalogue_, {}, number(found.traces), run.processes_are_hosts};
    for (const Trace& trace : found.traces) chosen.traces.push_back(&trace);
    return chosen;
  };
  out.broken = found.broken;
  out.unfinished = found.unfinished;
  out.partial = found.partial;
  out.analysed_since_ns = found.analysed_since_ns;
  const Chosen chosen = single ? alone() : choose(run, filter, *wanted, request);
  const bool of_one = single || request.report == snapshot::Report::kTrace;
  const Trace* one = of_one && !chosen.traces.empty() ? chosen.traces.back() : nullptr;
  out.observed_share = share_observed(run, one ? Window{one->start_ns(), one->end_ns()} : window);
  fill_report(chosen, request, out);
  return out;
}

}  // namespace compmond::present
