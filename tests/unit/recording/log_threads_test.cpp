// SPDX-License-Identifier: Apache-2.0
#include "recording/log_threads.h"

#include <doctest/doctest.h>

#include <map>

#include "recording/decoded_chunk.h"

using namespace compmond;
using namespace compmond::recording;
using record::EventKind;

TEST_CASE("log threads: an interrupt closes what is open on all living threads that had events") {
  Block block;
  for (record::ThreadId id = 0; id < 5; ++id) {
    block.threads.push_back({id, {100, pid_t(100 + id), 5, "worker"}});
    block.steps.push_back({Block::Call::kThread, id, 0, 0});
  }
  const auto happens = [&](record::ThreadId id, EventKind kind, uint64_t time_ns) {
    block.steps.push_back({Block::Call::kEvents, id, 1, 0});
    record::Event event;
    event.kind = kind;
    event.time_ns = time_ns;
    block.events.push_back(event);
  };
  for (record::ThreadId id = 0; id < 4; ++id) happens(id, EventKind::kEntry, 100 + id);
  happens(2, EventKind::kThreadExit, 200);
  happens(3, EventKind::kExec, 210);
  happens(1, EventKind::kEntry, 230);
  block.steps.push_back({Block::Call::kInterrupt, 0, 0, 220});
  DecodedChunk out;
  LogThreads().hand_over(block, out);
  std::map<record::ThreadId, uint64_t> lost;
  for (const auto& one : out.deliveries)
    for (uint32_t i = 0; i < one.count; ++i)
      if (const record::Event& event = out.events[one.first + i]; event.kind == EventKind::kLoss)
        lost[one.thread] = event.time_ns;
  CHECK(lost == std::map<record::ThreadId, uint64_t>{{0, 220}, {1, 230}});
}
