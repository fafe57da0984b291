// SPDX-License-Identifier: Apache-2.0
#include "logs/recorded_traces.h"

#include <fmt/format.h>

#include <algorithm>

#include "figures/call_costs.h"
#include "traces/context_link.h"

namespace compmond::logs {
namespace {

std::vector<int> components_of(const recording::Header& header) {
  std::vector<int> out;
  for (const recording::Operation& operation : header.operations)
    out.push_back(operation.component);
  return out;
}

trace::Tracer::Stacks stacks_of(const recording::Header& header) {
  return header.switches_stacks ? trace::Tracer::Stacks::kSwitching
                                : trace::Tracer::Stacks::kOrdinary;
}

// By the ways that were in use at the end, as in a replay.
figures::Model costs_of(const recording::Header& header, const recording::State& last) {
  std::vector<const recording::Way*> ways;
  for (const recording::Operation& operation : header.operations) ways.push_back(&operation);
  for (const recording::State::Change& change : last.changes)
    if (change.way > 0) ways[change.op] = &header.operations[change.op].next_ways[change.way - 1];
  figures::Model out;
  for (const recording::Way* way : ways) {
    double share = 1;
    for (const recording::State::Correction& one : last.corrections)
      if (one.is_of(*way)) share = std::clamp(one.share, 0.0, 1.0);
    out.inside_ns.push_back(way->inside_ns * share);
    out.outside_ns.push_back(way->outside_ns * share);
    out.cheap_less_ns.push_back(way->cheap_less_ns * share);
    out.left_inside_less_ns.push_back(way->left_inside_less_ns * share);
    out.left_outside_less_ns.push_back(way->left_outside_less_ns * share);
    out.stay_ns.push_back(way->stay_ns * share);
  }
  return out;
}

// When its probes were away until then.
std::vector<Window> times_away(const recording::State::Change& change, uint64_t end_ns) {
  std::vector<Window> out;
  for (const auto& [since_ns, until_ns] : change.away)
    out.push_back({since_ns, std::min(until_ns, end_ns)});
  if (out.empty() && change.away_until_ns > 0)
    out.push_back({change.away_since_ns, std::min(change.away_until_ns, end_ns)});
  std::erase_if(out, [](const Window& time) { return time.start_ns >= time.end_ns; });
  return out;
}

constexpr uint64_t kMoments = 1'000'000'000;  // more than all of these take together

uint64_t away_ns(const recording::State::Change& change, uint64_t end_ns, Window within) {
  uint64_t sum = 0;
  for (const Window& time : times_away(change, end_ns)) sum += common(time, within).length();
  return sum;
}

Window less(Window time, uint64_t ns) {
  return {time.start_ns - std::min(ns, time.start_ns),
          time.end_ns == UINT64_MAX ? UINT64_MAX : time.end_ns - std::min(ns, time.end_ns)};
}

void merge(std::vector<Window>& times) {
  std::ranges::sort(times, {}, &Window::start_ns);
  std::vector<Window> merged;
  for (const Window& time : times)
    if (merged.empty() || time.start_ns > merged.back().end_ns)
      merged.push_back(time);
    else
      merged.back().end_ns = std::max(merged.back().end_ns, time.end_ns);
  times = std::move(merged);
}

// Of several programs, whose component it is: each one's stand below the name of its spec.
std::string program_part(const recording::Header& header, const recording::Operation& operation) {
  const std::string& path = header.components[size_t(operation.component)].path;
  return header.programs.empty() ? std::string() : path.substr(0, path.find('/'));
}

bool holds_only_samples(const recording::LogReader& reader) {
  const recording::Header& header = reader.header();
  return reader.events() == 0 && header.samples_hz > 0 &&
         std::ranges::none_of(header.operations,
                              [](const auto& op) { return op.code.empty() && !op.refused; });
}

}  // namespace

Result<std::unique_ptr<RecordedTraces>> RecordedTraces::open(const std::string& path,
                                                             int64_t number,
                                                             traces::Catalogue& catalogue,
                                                             bool raw_costs) {
  auto reader = recording::LogReader::open(path);
  if (!reader) return Unexpected(std::move(reader.error()));
  if (holds_only_samples(*reader))
    return fail(Exit::kData, fmt::format("cannot make traces of the log '{}'", path),
                "it holds samples, which know no calls",
                fmt::format("See its estimates: compmond replay {} (--snapshot FILE keeps them, "
                            "which compmond export reads); its functions: compmond analyze "
                            "--report inside, or export --format folded.",
                            path));
  return std::unique_ptr<RecordedTraces>(
      new RecordedTraces(std::move(*reader), number, catalogue, raw_costs));
}

bool RecordedTraces::holds_samples_alone(const std::string& path) {
  const auto reader = recording::LogReader::open(path);
  return reader && holds_only_samples(*reader);
}

RecordedTraces::RecordedTraces(recording::LogReader reader, int64_t number,
                               traces::Catalogue& catalogue, bool raw_costs)
    : reader_(std::move(reader)),
      catalogue_(catalogue),
      tracer_(components_of(reader_.header()), *this, stacks_of(reader_.header()),
              reader_.header().open_exits),
      first_trace_(number * traces::kTracesPerLog),
      host_(catalogue.host(reader_.header().host.name)) {
  const recording::Header& header = reader_.header();
  for (const recording::Operation& operation : header.operations)
    operations_.push_back(
        catalogue.operation(header.components[size_t(operation.component)].path, operation.name));
  find_times_away();
  if (!raw_costs) costs_ = costs_of(header, reader_.last_state());
  logged_ns_ = reader_.begin_ns() + header.realtime_less_ns;
}

std::optional<uint64_t> RecordedTraces::next_ns() {
  return ended_ ? std::nullopt : std::optional(logged_ns_);
}

bool RecordedTraces::saw_all_of(const traces::Trace& trace) const {
  const bool own = trace.id >= first_trace_ && trace.id < first_trace_ + traces::kTracesPerLog;
  if (!own) return true;
  return std::ranges::none_of(trace.executions, [&](const traces::TracedExecution& one) {
    const auto known = part_of_.find(one.operation);
    if (known == part_of_.end()) return false;
    const std::vector<Window>& away = away_.at(known->second);
    const auto next = std::ranges::upper_bound(away, trace.start_ns(), {}, &Window::end_ns);
    return next != away.end() && next->start_ns <= trace.end_ns();
  });
}

// Of all that are observed at all.
void RecordedTraces::find_times_away() {
  const recording::Header& header = reader_.header();
  for (size_t i = 0; i < operations_.size(); ++i) {
    const std::string part = program_part(header, header.operations[i]);
    part_of_.emplace(operations_[i], part);
    away_[part];
  }
  for (const recording::State::Change& change : reader_.last_state().changes) {
    if (change.refused) continue;
    for (const Window& time : times_away(change, reader_.end_ns()))
      away_[program_part(header, header.operations[change.op])].push_back(
          {time.start_ns + header.realtime_less_ns, time.end_ns + header.realtime_less_ns});
  }
  for (auto& [part, times] : away_) merge(times);
}

std::string RecordedTraces::why_away() const {
  return reader_.last_state().switches.empty() ? "too dear for --max-overhead"
                                               : "switched off or too dear for --max-overhead";
}

std::string RecordedTraces::lacks(Window time) const {
  const recording::State& last = reader_.last_state();
  const size_t all = reader_.header().operations.size();
  const auto unseen = std::ranges::count_if(
      last.changes, [](const auto& change) { return !change.unseen.empty(); });
  const std::string of_some =
      unseen == 0 ? ""
                  : fmt::format(
                        "calls of {} of {} operations were not seen in some processes: they are "
                        "missing, and what they called has another caller or none",
                        unseen, all);
  std::vector<uint64_t> each;
  for (const recording::State::Change& change : last.changes)
    each.push_back(away_ns(change, last.as_of_ns, less(time, reader_.header().realtime_less_ns)));
  const uint64_t longest = each.empty() ? 0 : *std::ranges::max_element(each);
  if (longest == 0) return of_some;
  // Not those that were missed for a moment when these went.
  const uint64_t least = std::min(longest / 2, kMoments);
  const auto away = std::ranges::count_if(each, [&](uint64_t ns) { return ns >= least; });
  return fmt::format(
      "the probes of {} of {} operations were away for a part of the run, {}: traces of that time "
      "are left out (compmond replay shows what samples and slices tell of it){}{}",
      away, all, why_away(), of_some.empty() ? "" : "; ", of_some);
}

void RecordedTraces::step(traces::TracedSink& sink) {
  sink_ = &sink;
  if (!ended_ && !reader_.next(static_cast<record::EventSink&>(*this))) finish();
  sink_ = nullptr;
}

// What is still open counts up to the end of the log.
void RecordedTraces::finish() {
  ended_ = true;
  tracer_.close_all(reader_.end_ns());
  for (const recording::Damage& damage : reader_.damage())
    bad_records_.add(
        fmt::format("{}: {}", damage.file, to_text(damage, reader_.header().start_ns)));
}

void RecordedTraces::on_thread(record::ThreadId thread, const record::ThreadInfo& info) {
  if (sessions_.size() <= thread) {
    sessions_.resize(thread + 1, catalogue_.session(""));
    pids_.resize(thread + 1);
    threads_.resize(thread + 1);
    programs_.resize(thread + 1);
  }
  pids_[thread] = info.pid;
  sessions_[thread] = catalogue_.session(fmt::format("{}/{} {}", info.pid, info.tid, info.name));
  const std::string program = program_of(info.pid);
  programs_[thread] = catalogue_.program(program);
  threads_[thread] = catalogue_.thread(
      {host_, info.pid, info.tid, info.name, program, reader_.header().realtime_less_ns});
  tracer_.on_thread(thread, info);
}

// Of a process that is forgotten, with several programs nothing.
std::string RecordedTraces::program_of(uint32_t pid) const {
  std::vector<std::string> all;
  for (const recording::Header::Program& one : reader_.header().programs) all.push_back(one.exe);
  const auto& targets = reader_.last_state().targets;
  const auto found = std::ranges::find(targets, int64_t(pid), &snapshot::Target::pid);
  if (found != targets.end()) return traces::program_name(found->exe, all);
  return all.empty() && !targets.empty() ? traces::program_name(targets.front().exe, all)
                                         : std::string();
}

void RecordedTraces::on_events(record::ThreadId thread, std::span<const record::Event> events) {
  events_done_ += events.size();
  pid_now_ = thread < pids_.size() ? pids_[thread] : 0;
  tracer_.on_events(thread, events);
}

void RecordedTraces::on_context(uint64_t trace_id, uint32_t eoi, const trace::Context& context) {
  const auto log = uint64_t(first_trace_ / traces::kTracesPerLog);
  if (const auto link = traces::link_of(context, eoi, log, pid_now_))
    sink_->on_link(first_trace_ + int64_t(trace_id), *link);
}

void RecordedTraces::on_closed(const trace::Execution& execution) {
  const uint64_t epoch_ns = reader_.header().realtime_less_ns;
  traces::TracedExecution out;
  out.trace_id = first_trace_ + int64_t(execution.trace_id);
  out.start_ns = execution.start_ns + epoch_ns;
  out.end_ns = execution.end_ns + epoch_ns;
  out.operation = operations_[execution.op];
  out.host = host_;
  out.program = execution.thread < programs_.size() ? programs_[execution.thread] : 0;
  out.session = execution.thread < sessions_.size() ? sessions_[execution.thread] : 0;
  out.thread = execution.thread < threads_.size() ? threads_[execution.thread] : 0;
  out.eoi = int32_t(execution.eoi);
  out.ess = execution.ess;
  out.failed = execution.reason != trace::Closed::kReturned;
  const figures::CallCost cost = figures::cost_of(costs_, execution);
  out.inside_ns = float(cost.inside_ns);
  out.outside_ns = float(cost.outside_ns);
  logged_ns_ = std::max(logged_ns_, out.end_ns);
  if (execution.reason == trace::Closed::kLossy && !ended_)  // at the end it only was still open
    sink_->on_unusable(out.trace_id,
                       "events of it are missing in the log, were lost before, or its probes went "
                       "meanwhile");
  sink_->on_execution(out, logged_ns_);
}

}  // namespace compmond::logs
