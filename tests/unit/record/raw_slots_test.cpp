// SPDX-License-Identifier: Apache-2.0
// What a process may write into the slots that it shares with us, through stream and checks.
#include <doctest/doctest.h>

#include <vector>

#include "collected.h"
#include "record/checked_source.h"
#include "record/stream.h"

using namespace compmond::record;

namespace {

constexpr uint64_t kNow = 5000;

// One slot of a process, written as its memory, by no protocol.
class Raw : public EventSource {
 public:
  Raw() : slots_(1), stream_(slots_.data(), 1) {
    cm_slot& slot = slots_[0];
    slot.pid = 7;
    slot.tid = 8;
    slot.chunk.generation = 1;
    slot.state = CM_LIVE;
  }
  void write(const cm_record& record) {
    cm_slot& slot = slots_[0];
    slot.chunk.records[slot.chunk.count++] = record;
    ++slot.next_seq;
  }
  size_t drain(EventSink& sink) override {
    const uint64_t before = stream_.delivered();
    std::vector<uint32_t> freed;
    stream_.read_slots(sink, freed);
    return size_t(stream_.delivered() - before);
  }
  Ledger ledger() const override { return stream_.ledger(0); }
  uint64_t now_ns() const override { return kNow; }

 private:
  std::vector<cm_slot> slots_;
  Stream stream_;
};

// What becomes of a record of an operation that there is.
Event one(uint16_t kind, uint16_t flags) {
  Raw raw;
  CheckedSource checks(raw, {2, 7, 1, [] { return kNow; }});
  raw.write({kNow, 16, 1, kind, flags});
  Collected sink;
  checks.drain(sink);
  const auto& events = sink.events[0];
  REQUIRE(events.size() == 1);
  CHECK(checks.ledger().balanced());
  CHECK(checks.refusals().events() == checks.ledger().lost_refused);
  CHECK(checks.refusals().kinds == (events[0].kind == EventKind::kLoss ? 1 : 0));
  return events[0];
}

bool is_one_lost(const Event& event) { return event.kind == EventKind::kLoss && event.arg == 1; }

}  // namespace

TEST_CASE("raw slots: calls and what arguments say pass") {
  CHECK(one(CM_ENTRY, CM_TAIL_CALL).flags == kTailCall);
  CHECK(one(CM_EXIT, 0).kind == EventKind::kExit);
  CHECK(one(CM_EXIT, CM_CHEAP_EXIT | CM_JUMP_EXIT).flags == (kCheapExit | kJumpExit));
  const Event transfer = one(CM_TRANSFER, CM_JUMP);
  CHECK(transfer.kind == EventKind::kTransfer);
  CHECK(transfer.sp == 16);
  CHECK(is_one_lost(one(CM_TRANSFER, CM_RESUME + 1)));
  CHECK(is_one_lost(one(CM_EXIT, 4)));
  const Event stayed = one(CM_STAYED, 0);
  CHECK(stayed.kind == EventKind::kStayed);
  CHECK(stayed.sp == 16);
  CHECK(is_one_lost(one(CM_STAYED, 1)));
  const Event context = one(CM_CONTEXT, CM_SESSION_ID);
  CHECK(context.kind == EventKind::kContext);
  CHECK(context.arg == 16);
}

TEST_CASE("raw slots: a record of a kind that there is not passes for no other") {
  for (const int kind : {CM_INPUT + 1, 77, 255, 256, 0x100 + CM_CONTEXT, UINT16_MAX})
    CHECK_MESSAGE(is_one_lost(one(uint16_t(kind), 0)), kind);
}

TEST_CASE("raw slots: a flag that there is not is seen, also where events have no room for it") {
  for (const int flags : {8, 0x100, 0x8000, 0x100 + CM_TAIL_CALL})
    CHECK_MESSAGE(is_one_lost(one(CM_ENTRY, uint16_t(flags))), flags);
  CHECK(is_one_lost(one(CM_CONTEXT, 0x100)));
}

TEST_CASE("raw slots: a process says nothing about processes") {
  for (const int kind : {CM_EXEC, CM_THREAD_EXIT, CM_FORK, CM_INPUT})
    CHECK_MESSAGE(is_one_lost(one(uint16_t(kind), 0)), kind);
}
