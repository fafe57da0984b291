// SPDX-License-Identifier: Apache-2.0
#include "pipeline/intake.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace compmond::pipeline {
namespace {

history::Store::Options store_options(const Options& options) {
  history::Store::Options out;
  out.operations = options.component_of.size();
  out.start_ns = options.start_ns;
  out.budget_bytes = options.history_bytes;
  out.objectives = options.objectives;
  return out;
}

trace::Tracer::Stacks stacks_of(const Options& options) {
  using enum trace::Tracer::Stacks;
  return options.switches_stacks ? kSwitching : kOrdinary;
}

}  // namespace

Intake::Intake(const Options& options, Arrivals& arrivals)
    : recorder_(options.recorder),
      arrivals_(arrivals),
      start_ns_(options.start_ns),
      store_(store_options(options)),
      tracer_(options.component_of, store_, stacks_of(options), options.open_exits),
      component_of_(options.component_of),
      stacks_(stacks_of(options)),
      open_exits_(options.open_exits) {}

void Intake::on_thread(record::ThreadId thread, const record::ThreadInfo& info) {
  if (recorder_) recorder_->on_thread(thread, info);
  tracer_.on_thread(thread, info);
  store_.on_thread(thread, info);
  arrivals_.add(pid_t(info.pid));
  living_[thread] = info;
}

void Intake::on_events(record::ThreadId thread, std::span<const record::Event> events) {
  if (!sliced_ && !change_) return take_in(thread, events);
  others_.clear();
  if (slice_)
    slice_->on_events(thread, events, others_);
  else
    std::ranges::copy_if(events, std::back_inserter(others_), [](const record::Event& event) {
      return event.kind != record::EventKind::kInput;
    });
  if (change_) return take_in_changing(thread, others_);
  if (!others_.empty()) take_in(thread, others_);
}

void Intake::take_in_changing(record::ThreadId thread, std::span<const record::Event> events) {
  counting_.clear();
  const auto take_in_those = [&] {
    if (!counting_.empty()) take_in(thread, counting_);
    counting_.clear();
  };
  for (const record::Event& event : events) {
    if (event.time_ns >= change_->since_ns && is_of(event, change_->operations)) {
      take_in_those();  // which may be what this one ends
      if (!counts(thread, event)) continue;
    }
    counting_.push_back(event);
  }
  take_in_those();
}

// One of the change, from its time.
bool Intake::counts(record::ThreadId thread, const record::Event& event) const {
  const bool of_open =
      event.kind == record::EventKind::kExit || event.kind == record::EventKind::kStayed;
  return of_open && !change_->closed && tracer_.has_open(thread, event.op, event.sp);
}

void Intake::begin_slice(SliceWatch::Of of) {
  sliced_ = true;
  slice_.emplace(component_of_, std::move(of), stacks_, open_exits_);
}

SliceSeen Intake::end_slice(Window slice, uint64_t first_ends_ns, const std::set<pid_t>& unprobed) {
  if (!slice_) return {};
  SliceSeen out = slice_->end(slice, first_ends_ns, unprobed, [this](record::ThreadId thread) {
    const auto found = living_.find(thread);
    return found == living_.end() ? record::ThreadInfo() : found->second;
  });
  slice_.reset();
  return out;
}

void Intake::take_in(record::ThreadId thread, std::span<const record::Event> events) {
  if (recorder_) recorder_->on_events(thread, events);
  for (const record::Event& event : events) {
    if (event.kind == record::EventKind::kFork) arrivals_.add(pid_t(event.arg));
    if (event.kind == record::EventKind::kThreadExit) living_.erase(thread);
    if (event.kind == record::EventKind::kLoss) lost(thread, events.front(), event);
  }
  tracer_.on_events(thread, events);
}

// What is missing lies between the thread's event before, as far as that is known, and the loss.
void Intake::lost(record::ThreadId thread, const record::Event& first, const record::Event& loss) {
  const uint64_t before = &first == &loss ? tracer_.latest_ns(thread) : first.time_ns;
  const bool known = loss.arg > 0 && before > 0;
  store_.on_loss(known ? before : loss.time_ns, loss.time_ns, loss.arg);
}

void Intake::begin_change(uint64_t now_ns, const std::vector<record::OperationId>& operations) {
  change_.emplace(now_ns, std::vector<bool>(component_of_.size()));
  for (const record::OperationId i : operations) change_->operations[i] = true;
}

void Intake::close_open() {
  std::vector<trace::OpenExecution> open;
  tracer_.open_executions(open);
  std::map<record::ThreadId, uint64_t> threads;  // and when: not before their latest event
  for (const trace::OpenExecution& one : open)
    if (change_->operations[one.op]) threads.emplace(one.thread, change_->since_ns);
  for (const trace::OpenExecution& one : open)
    if (const auto at = threads.find(one.thread); at != threads.end())
      at->second = std::max(at->second, one.on_top_since_ns);
  for (const auto& [thread, time_ns] : threads) {
    record::Event loss;
    loss.kind = record::EventKind::kLoss;
    loss.time_ns = time_ns;
    on_events(thread, {&loss, 1});
  }
  tracer_.forget_abandoned();
  change_->closed = true;
  change_->since_ns = 0;  // one that is late is half of a call, too
}

void Intake::fill(history::Checkpoint& checkpoint) const {
  checkpoint.start_ns = start_ns_;
  store_.fill(checkpoint);
  tracer_.open_executions(checkpoint.open);
  checkpoint.trace = tracer_.ledger();
}

}  // namespace compmond::pipeline
