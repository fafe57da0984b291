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
    if (event.time_ns >= change_->since_ns) {
      if (change_->left.insert(thread).second) {
        take_in_those();
        leave(thread);
      }
      if (is_of(event, change_->operations)) continue;  // perhaps half of a call
    }
    counting_.push_back(event);
  }
  take_in_those();
}

// Of the change, what is open on the thread, which had no event since.
void Intake::leave(record::ThreadId thread) {
  std::vector<record::Event> gone;
  for (const record::OperationId op : tracer_.operations_of(thread)) {
    if (!change_->operations[op]) continue;
    record::Event& event = gone.emplace_back();
    event.kind = record::EventKind::kGone;
    event.op = op;
    event.time_ns = std::max(change_->since_ns, tracer_.latest_ns(thread));
  }
  if (!gone.empty()) take_in(thread, gone);
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
    if (event.kind == record::EventKind::kExec && event.arg == 0)
      arrivals_.add_executed({pid_of(thread), event.time_ns});
    if (event.kind == record::EventKind::kThreadExit) end(thread);
    if (event.kind == record::EventKind::kLoss) lost(thread, events.front(), event);
  }
  tracer_.on_events(thread, events);
}

// A thread that executes a program goes on as its process' main one, which has ended just before.
void Intake::end(record::ThreadId thread) {
  constexpr size_t kKept = 256;
  const auto found = living_.find(thread);
  if (found == living_.end()) return;
  ended_[thread] = pid_t(found->second.pid);
  if (ended_.size() > kKept) ended_.erase(ended_.begin());
  living_.erase(found);
}

pid_t Intake::pid_of(record::ThreadId thread) const {
  if (const auto found = living_.find(thread); found != living_.end())
    return pid_t(found->second.pid);
  const auto ended = ended_.find(thread);
  return ended == ended_.end() ? 0 : ended->second;
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
  for (const record::ThreadId thread : tracer_.threads())
    if (change_->left.insert(thread).second) leave(thread);
  change_->since_ns = 0;  // one that is late is half of a call, too
}

void Intake::fill(history::Checkpoint& checkpoint) const {
  checkpoint.start_ns = start_ns_;
  store_.fill(checkpoint);
  tracer_.open_executions(checkpoint.open);
  checkpoint.trace = tracer_.ledger();
}

}  // namespace compmond::pipeline
