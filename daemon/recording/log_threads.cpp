// SPDX-License-Identifier: Apache-2.0
#include "recording/log_threads.h"

#include <algorithm>

#include "core/limits.h"
#include "record/last.h"

namespace compmond::recording {
namespace {

using record::Event;
using record::EventKind;
using record::ThreadId;

// Alive at once: four times as many as a run can observe. Beyond, the ends of threads are missing,
// and the oldest are taken to have ended.
constexpr size_t kMostThreads = 4 * limits::kThreadSlots;

Event event_of(EventKind kind, uint64_t time_ns) {
  Event event;
  event.kind = kind;
  event.time_ns = time_ns;
  return event;
}

}  // namespace

void LogThreads::lose(uint64_t time_ns, DecodedChunk& out) {
  for (auto& [number, thread] : threads_) {
    if (!thread.has_events) continue;
    thread.last_ns = std::max(thread.last_ns, time_ns);
    out.deliveries.push_back({thread.id, -1, uint32_t(out.events.size()), 1});
    out.events.push_back(event_of(EventKind::kLoss, thread.last_ns));
  }
}

// The oldest: whoever gets its events need not keep it any longer. What is open on it is lost.
void LogThreads::evict(DecodedChunk& out) {
  const Thread& thread = threads_.begin()->second;
  if (thread.has_events) {
    out.deliveries.push_back({thread.id, -1, uint32_t(out.events.size()), 2});
    out.events.push_back(event_of(EventKind::kLoss, thread.last_ns));
    out.events.push_back(event_of(EventKind::kThreadExit, thread.last_ns));
  }
  threads_.erase(threads_.begin());
}

LogThreads::Thread& LogThreads::thread_of(const Block::Thread& thread, DecodedChunk& out) {
  if (threads_.size() >= kMostThreads && !threads_.contains(thread.id)) evict(out);
  const auto [known, is_new] = threads_.try_emplace(thread.id);
  if (is_new) {
    known->second.id = next_++;
    out.deliveries.push_back({known->second.id, int32_t(out.threads.size()), 0, 0});
    out.threads.push_back(thread.info);
  }
  return known->second;
}

void LogThreads::hand_over(const Block& block, DecodedChunk& out) {
  std::map<ThreadId, const Block::Thread*> described;
  for (const Block::Thread& thread : block.threads) described[thread.id] = &thread;
  size_t next = 0;
  for (const Block::Step& step : block.steps) {
    if (step.call == Block::Call::kInterrupt) {
      lose(step.time_ns, out);
      continue;
    }
    Thread& thread = thread_of(*described.at(step.thread), out);
    if (step.count == 0) continue;
    thread.has_events = true;
    const auto first = uint32_t(out.events.size());
    bool ended = false;
    for (uint32_t i = 0; i < step.count; ++i) {
      const Event& event = block.events[next++];
      out.events.push_back(event);
      thread.last_ns = std::max(thread.last_ns, event.time_ns);
      ended = record::is_last(event);
    }
    out.deliveries.push_back({thread.id, -1, first, step.count});
    if (ended) threads_.erase(step.thread);
  }
}

}  // namespace compmond::recording
