// SPDX-License-Identifier: Apache-2.0
#include "present/view_answer.h"

#include <algorithm>
#include <map>

#include "figures/activity.h"
#include "figures/distribution.h"
#include "figures/executions.h"
#include "present/estimated.h"
#include "present/known.h"
#include "present/slo.h"
#include "present/snapshot_builder.h"

namespace compmond::present {
namespace {

using figures::OperationId;

constexpr size_t kRecent = 50;      // executions in the details: more than a panel shows
constexpr uint32_t kSampledPx = 6;  // of a column: samples are too few for finer ones

// Turns executions and folds into what the protocol says of them.
class ExecutionNames {
 public:
  ExecutionNames(const RunParts& run, snapshot::ExecutionsView& out) : run_(run), out_(out) {}

  void add(const figures::Single& single) {
    const trace::Execution& e = single.execution;
    snapshot::ExecutionsView::Execution x;
    x.operation = number(e.op);
    if (e.caller < run_.plan.operations.size()) x.caller = int64_t(number(e.caller));
    const record::ThreadInfo& thread = thread_info(run_.checkpoint, e.thread);
    x.pid = thread.pid;
    x.tid = thread.tid;
    x.start_ns = e.start_ns;
    x.end_ns = e.end_ns;
    x.real_ns = single.real_ns();
    x.trace_id = e.trace_id;
    x.eoi = e.eoi;
    x.ess = e.ess;
    x.closed = ending_of(single);
    out_.executions.push_back(std::move(x));
  }
  void add(const figures::Fold& fold) {
    const record::ThreadInfo& thread = thread_info(run_.checkpoint, fold.thread);
    out_.folds.push_back({number(fold.op), thread.pid, thread.tid, fold.ess, fold.start_ns,
                          fold.end_ns, fold.count, fold.raw_ns, fold.real_ns, fold.violations});
  }

 private:
  uint32_t number(OperationId op) {
    const auto [place, fresh] = numbers_.try_emplace(op, uint32_t(out_.operations.size()));
    if (fresh) {
      const plan::PlannedOperation& planned = run_.plan.operations[op];
      auto& named = out_.operations.emplace_back();
      named.component = run_.spec.components[size_t(planned.component)].path;
      named.name = planned.name;
      if (const uint64_t objective = objective_ns(run_, op)) named.objective_ns = objective;
    }
    return place->second;
  }

  const RunParts& run_;
  snapshot::ExecutionsView& out_;
  std::map<OperationId, uint32_t> numbers_;
};

// When probes were away, per component one span where those of its operations touch.
std::vector<snapshot::ExecutionsView::Away> away_in(const RunParts& run, Window window) {
  std::vector<snapshot::ExecutionsView::Away> out;
  const auto operations = operations_by_component(run);
  for (size_t i = 0; i < operations.size(); ++i)
    for (const Window& span : plan::away_in(run.states, operations[i], window))
      out.push_back({run.spec.components[i].path, span.start_ns, span.end_ns});
  return out;
}

snapshot::ExecutionsView view_of(const RunParts& run, const figures::Executions& found,
                                 Window window) {
  snapshot::ExecutionsView out;
  out.start_ns = window.start_ns;
  out.end_ns = window.end_ns;
  ExecutionNames names(run, out);
  for (const figures::Single& single : found.singles) names.add(single);
  for (const figures::Fold& fold : found.folds) names.add(fold);
  out.left_out = found.left_out;
  out.partial = found.partial;
  out.away = away_in(run, {window.start_ns, std::min(window.end_ns, run.checkpoint.as_of_ns)});
  return out;
}

// Of which components samples tell the time: of what probes do not see, or did not all the time;
// then of all, as in figures.
std::vector<bool> told_by_samples(const RunParts& run, Window window) {
  std::vector<bool> sampled = sampled_components(run);
  if (busy_in(run, window)) sampled.assign(sampled.size(), true);
  return sampled;
}

void add_sampled(const RunParts& run, Window window, snapshot::StripView& out) {
  if (!samples_tell_times(run, window)) return;
  const std::vector<bool> sampled = told_by_samples(run, window);
  auto activity = run.samples->store.activity(window, out.columns);
  for (size_t i = 0; i < sampled.size(); ++i)
    if (sampled[i]) out.real_ns[i] = std::move(activity[i]);
}

void add_sampled(const RunParts& run, Window window, uint32_t pixels,
                 snapshot::ExecutionsView& out) {
  if (!samples_tell_times(run, window)) return;
  const std::vector<bool> sampled = told_by_samples(run, window);
  auto activity = run.samples->store.activity(window, std::max(1u, pixels / kSampledPx));
  for (size_t i = 0; i < sampled.size(); ++i)
    if (sampled[i] && std::ranges::any_of(activity[i], [](uint64_t ns) { return ns > 0; }))
      out.sampled.push_back({run.spec.components[i].path, std::move(activity[i])});
}

snapshot::StripView strip_of(const RunParts& run, const figures::Model& model,
                             const snapshot::ViewRequest::Strip& wanted,
                             const figures::Filter& filter) {
  const Window window = wanted.end_ns > 0 ? Window{wanted.start_ns, wanted.end_ns}
                                          : figures::last_seconds(run.checkpoint, 0);
  figures::Activity found =
      figures::activity(run.store, run.checkpoint, model, window, wanted.columns, filter);
  snapshot::StripView out;
  out.start_ns = window.start_ns;
  out.end_ns = window.end_ns;
  out.columns = wanted.columns;
  for (const spec::Component& component : run.spec.components)
    out.components.push_back(component.path);
  out.real_ns = std::move(found.real_ns);
  add_sampled(run, window, out);
  out.lost = std::move(found.lost);
  for (const auto& [component, column, count] : found.violations)
    out.violations.push_back({component, column, count});
  out.slices = slices_in(run, window);
  return out;
}

// A filter that lets pass what the given one does, of one component's own operations.
figures::Filter within(figures::Filter filter, const figures::Model& model, int component) {
  std::vector<OperationId> own;
  for (OperationId op = 0; op < model.component_of.size(); ++op) {
    const bool wanted = filter.operations.empty() ||
                        std::ranges::find(filter.operations, op) != filter.operations.end();
    if (model.component_of[op] == component && wanted) own.push_back(op);
  }
  // An empty list would let everything pass.
  if (own.empty()) own.push_back(OperationId(model.component_of.size()));
  filter.operations = std::move(own);
  return filter;
}

snapshot::DetailsView details_of(const RunParts& run, const figures::Model& model, int component,
                                 Window window, const figures::Filter& filter) {
  const figures::Filter own = within(filter, model, component);
  snapshot::DetailsView out;
  out.component = run.spec.components[size_t(component)].path;
  for (const figures::Bucket& bucket :
       figures::distribution(run.store, run.checkpoint, model, window, own))
    out.histogram.push_back({bucket.from_ns, bucket.to_ns, bucket.count});
  out.recent = view_of(
      run, figures::newest_executions(run.store, run.checkpoint, model, window, kRecent, own),
      window);
  return out;
}

}  // namespace

Result<snapshot::View> answer_view(const RunParts& run, const snapshot::ViewRequest& request,
                                   const RunStatus& status, TraceAnalyst& analyst) {
  if (auto fine = check_request(run, request); !fine) return Unexpected(fine.error());
  const auto filter = filter_of(run, request.filter);
  if (!filter) return Unexpected(filter.error());
  const Window window = window_of(run, request.window);
  const figures::Model model = model_of(run);

  snapshot::View out;
  out.id = request.id;
  out.run = {run.checkpoint.start_ns,
             run.checkpoint.as_of_ns,
             status.live,
             status.replay,
             status.events_per_s,
             run.store.complete_since_ns(),
             status.paused,
             status.speed,
             status.end_ns};
  if (request.snapshot)
    out.snapshot =
        build_snapshot(run, {window, request.metric, *filter, std::nullopt, request.heat});
  if (request.strip) out.strip = strip_of(run, model, *request.strip, *filter);
  if (const auto& wanted = request.executions) {
    const Window shown = wanted->end_ns > 0 ? Window{wanted->start_ns, wanted->end_ns} : window;
    out.executions = view_of(run,
                             figures::executions(run.store, run.checkpoint, model, shown,
                                                 wanted->pixels, wanted->limit, *filter),
                             shown);
    add_sampled(run, shown, wanted->pixels, *out.executions);
  }
  if (request.details) {
    const auto component = component_of(run, *request.details);
    if (!component) return Unexpected(component.error());
    out.details = details_of(run, model, *component, window, *filter);
  }
  if (request.analysis) {
    auto analysis = analyst.answer(run, window, *filter, *request.analysis);
    if (!analysis) return Unexpected(analysis.error());
    out.analysis = std::move(*analysis);
  }
  return out;
}

}  // namespace compmond::present
