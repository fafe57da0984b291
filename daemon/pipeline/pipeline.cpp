// SPDX-License-Identifier: Apache-2.0
#include "pipeline/pipeline.h"

#include <chrono>
#include <utility>

#include "base/clock.h"

namespace compmond::pipeline {
namespace {

using namespace std::chrono_literals;

// Data is at most 40 ms old. What costs is waking up, so it is done often only while events come.
constexpr auto kBusyInterval = 5ms;
constexpr auto kIdleInterval = 35ms;
constexpr auto kNoCallsInterval = 100ms;  // as often as others look whether processes came or went

}  // namespace

Pipeline::Pipeline(record::EventSource& source, const Options& options)
    : source_(source),
      start_ns_(options.start_ns),
      idle_(options.calls ? kIdleInterval : kNoCallsInterval),
      intake_(options, arrivals_) {}

Pipeline::~Pipeline() { stop(monotonic_ns()); }

void Pipeline::start(Worker& worker) {
  running_ = true;
  worker_ = &worker;
  worker.run([this] { loop(); });
}

void Pipeline::loop() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    start_change(lock);
    lock.unlock();
    const size_t events = source_.drain(intake_);
    const uint64_t now = source_.now_ns();
    lock.lock();
    grant(lock, now);
    if (events >= record::EventSource::kDrainEvents || source_.hurries()) continue;
    changed_.wait_for(lock, events > 0 ? kBusyInterval : idle_,
                      [this] { return stopping_ || wishes_.change || granted_ < asked_; });
  }
  lock.unlock();
  const uint64_t until_ns = monotonic_ns();  // in a flood there is always more
  while (source_.drain(intake_) > 0 && source_.now_ns() < until_ns) {
  }
  lock.lock();
  finish();
}

// From here on nothing changes any more. Who still waits gets the answers of the end.
void Pipeline::finish() {
  checkpoint_ = make(end_ns_);
  counts_ = count();
  running_ = false;
  granted_ = asked_;
  changed_.notify_all();
}

// Does what was asked for until now.
void Pipeline::grant(std::unique_lock<std::mutex>& lock, uint64_t now_ns) {
  start_change(lock);
  if (granted_ == asked_) return;
  const Wishes wishes = std::exchange(wishes_, {});
  const uint64_t number = asked_;
  lock.unlock();
  if (wishes.close_open || wishes.end_change || wishes.slice) drain_all();
  if (wishes.close_open) intake_.close_open();
  if (wishes.end_change) intake_.end_change();
  if (wishes.slice) wishes.slice();
  auto checkpoint = wishes.checkpoint ? make(now_ns) : nullptr;
  auto counts = wishes.counts ? count() : Counts();
  lock.lock();
  if (wishes.checkpoint) checkpoint_ = std::move(checkpoint);
  if (wishes.counts) counts_ = std::move(counts);
  granted_ = number;
  changed_.notify_all();
}

// Before anything else is drained: nobody waits for it.
void Pipeline::start_change(std::unique_lock<std::mutex>& lock) {
  const auto change = std::exchange(wishes_.change, std::nullopt);
  if (!change) return;
  lock.unlock();
  intake_.begin_change(change->since_ns, change->operations);
  lock.lock();
}

// That was recorded until now: in a flood there is always more.
void Pipeline::drain_all() {
  const uint64_t until_ns = monotonic_ns();
  while (source_.drain(intake_) >= record::EventSource::kDrainEvents &&
         source_.now_ns() < until_ns) {
  }
  source_.drain(intake_);  // what the last one found on its way
}

// For what was just added to the wishes.
void Pipeline::wait_granted(std::unique_lock<std::mutex>& lock) {
  const uint64_t number = ++asked_;
  changed_.notify_all();
  changed_.wait(lock, [&] { return granted_ >= number; });
}

void Pipeline::stop(uint64_t end_ns) {
  if (!worker_) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    end_ns_ = end_ns;
    changed_.notify_all();
  }
  std::exchange(worker_, nullptr)->wait();
}

void Pipeline::begin_change(uint64_t now_ns, std::vector<record::OperationId> operations) {
  const std::lock_guard lock(mutex_);
  if (!running_) return;
  wishes_.change = {now_ns, std::move(operations)};
  changed_.notify_all();
}

void Pipeline::close_open() {
  std::unique_lock lock(mutex_);
  if (!running_) return;
  wishes_.close_open = true;
  wait_granted(lock);
}

void Pipeline::end_change() {
  std::unique_lock lock(mutex_);
  if (!running_) return;
  wishes_.end_change = true;
  wait_granted(lock);
}

void Pipeline::begin_slice(SliceWatch::Of of) {
  std::unique_lock lock(mutex_);
  if (!running_) return;
  wishes_.slice = [&] { intake_.begin_slice(std::move(of)); };
  wait_granted(lock);
}

SliceSeen Pipeline::end_slice(Window slice, uint64_t first_ends_ns,
                              const std::set<pid_t>& unprobed) {
  SliceSeen out;
  std::unique_lock lock(mutex_);
  if (!running_) return out;
  wishes_.slice = [&] { out = intake_.end_slice(slice, first_ends_ns, unprobed); };
  wait_granted(lock);
  return out;
}

SharedCheckpoint Pipeline::make(uint64_t now_ns) const {
  const auto out = std::make_shared<history::Checkpoint>();
  intake_.fill(*out);
  out->as_of_ns = now_ns;
  out->capture = source_.ledger();
  return out;
}

SharedCheckpoint Pipeline::checkpoint() {
  std::unique_lock lock(mutex_);
  if (running_) {
    wishes_.checkpoint = true;
    wait_granted(lock);
  } else if (!checkpoint_) {
    checkpoint_ = make(start_ns_);
  }
  return checkpoint_;
}

Counts Pipeline::count() const {
  const record::Ledger ledger = source_.ledger();
  return {store().counts(), intake_.transfers(), ledger.delivered, ledger.lost()};
}

Counts Pipeline::counts() {
  std::unique_lock lock(mutex_);
  if (!running_) return count();
  wishes_.counts = true;
  wait_granted(lock);
  return counts_;
}

}  // namespace compmond::pipeline
