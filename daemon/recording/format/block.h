// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "record/event.h"

namespace compmond::recording {

// What an event source handed over, call by call, before it is packed and after it is unpacked.
struct Block {
  struct Thread {
    record::ThreadId id = 0;
    record::ThreadInfo info;
  };
  enum class Call : uint8_t {
    kThread,     // a thread became known
    kEvents,     // the next `count` events are of the thread
    kInterrupt,  // everything open was closed as lossy at time_ns; in old logs alone
  };
  struct Step {
    Call call = Call::kEvents;
    record::ThreadId thread = 0;
    uint32_t count = 0;
    uint64_t time_ns = 0;
    bool operator==(const Step&) const = default;
  };
  uint64_t first_event = 0;     // running number in the run
  std::vector<Thread> threads;  // announced in it; as packed: all that its steps name, each once
  std::vector<Step> steps;
  std::vector<record::Event> events;
  std::vector<record::ThreadId> ended;  // threads whose end was left out; not packed

  bool empty() const { return steps.empty(); }
  void clear() {
    threads.clear();
    steps.clear();
    events.clear();
    ended.clear();
  }
};

}  // namespace compmond::recording
