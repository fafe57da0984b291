// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "record/event.h"

namespace compmond::pipeline::test {

constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kStart = 1'000 * kMs;

// A list of events in place of the kernel: hands out what a test puts in, thread by thread.
class ListSource : public record::EventSource {
 public:
  using Batch = std::pair<uint32_t, std::vector<record::Event>>;  // thread
  void put(uint32_t thread, std::vector<record::Event> events) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({thread, std::move(events)});
  }
  size_t drain(record::EventSink& sink) override {
    std::vector<Batch> now;
    {
      const std::lock_guard lock(mutex_);
      now.swap(waiting_);
    }
    size_t count = 0;
    for (const auto& [thread, events] : now) {
      for (; threads_ <= thread; ++threads_)
        sink.on_thread(threads_, {100, 100 + threads_, 5, "worker"});
      sink.on_events(thread, events);
      count += events.size();
    }
    ledger_.hits += count;
    ledger_.delivered += count;
    return count;
  }
  record::Ledger ledger() const override { return ledger_; }
  uint64_t now_ns() const override { return monotonic_ns(); }

 private:
  std::mutex mutex_;
  std::vector<Batch> waiting_;
  record::ThreadId threads_ = 0;
  record::Ledger ledger_;
};

// In a flood: however much is drained, as much is there again.
class FloodSource : public ListSource {
 public:
  size_t drain(record::EventSink& sink) override {
    ListSource::drain(sink);
    return kDrainEvents;
  }
};

// `ms` after kStart.
inline record::Event at(uint64_t ms, record::EventKind kind, uint32_t op, uint64_t sp) {
  record::Event event;
  event.time_ns = kStart + ms * kMs;
  event.kind = kind;
  event.op = op;
  event.sp = sp;
  return event;
}

}  // namespace compmond::pipeline::test
