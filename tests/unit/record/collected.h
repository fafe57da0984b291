// SPDX-License-Identifier: Apache-2.0
// A sink that keeps what it gets.
#pragma once

#include <map>
#include <vector>

#include "record/event.h"

namespace compmond::record {

struct Collected : EventSink {
  void on_thread(ThreadId thread, const ThreadInfo& info) override { threads[thread] = info; }
  void on_events(ThreadId thread, std::span<const Event> list) override {
    for (const Event& event : list) events[thread].push_back(event);
  }
  std::map<ThreadId, ThreadInfo> threads;
  std::map<ThreadId, std::vector<Event>> events;
};

}  // namespace compmond::record
