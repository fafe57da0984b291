// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "recorder.h"

using namespace compmond;
using namespace compmond::trace;
using record::Event;
using record::EventKind;

namespace {

constexpr OperationId A = 0, B = 1, C = 2, D = 3;
constexpr auto kOk = Closed::kReturned;
constexpr auto kFailed = Closed::kFailed;
constexpr auto kJumped = Closed::kJumped;
constexpr auto kGone = Closed::kAbandoned;

struct Case {
  const char* name;
  std::vector<Event> events;
  std::vector<Line> closed;
  std::vector<uint64_t> unsure;  // of these
};

Event throws(uint64_t sp, uint64_t time_ns) { return transfer(Transfer::kThrow, sp, time_ns); }
Event catches(uint64_t sp, uint64_t time_ns) { return transfer(Transfer::kCatch, sp, time_ns); }
Event leaves_by_jump(OperationId op, uint64_t sp, uint64_t time_ns) {
  Event event = out(op, sp, time_ns);
  event.flags = record::kJumpExit;
  return event;
}
Event forces(uint64_t sp, uint64_t time_ns) { return transfer(Transfer::kForce, sp, time_ns); }
Event resumes(uint64_t sp, uint64_t time_ns) { return transfer(Transfer::kResume, sp, time_ns); }
Event jumps(uint64_t sp, uint64_t time_ns) { return transfer(Transfer::kJump, sp, time_ns); }

const std::vector<Case> kCases = {
    {"an exception: the thrower ends at the throw, the catcher works on",
     {in(A, 900, 0), in(B, 800, 1), throws(700, 3), catches(800, 4), out(A, 900, 10)},
     {{B, 1, 3, 2, kFailed}, {A, 0, 10, 8, kOk}},
     {0, 0}},
    {"an exception through a frame whose destructors work: it ends when the unwinder goes on",
     {in(A, 900, 0), in(B, 800, 1), in(C, 700, 2), throws(600, 4), resumes(750, 9),
      catches(800, 10), out(A, 900, 20)},
     {{C, 2, 4, 2, kFailed}, {B, 1, 9, 6, kFailed}, {A, 0, 20, 12, kOk}},
     {0, 0, 0}},
    {"the unwinder goes on from where the one that threw was called: that one is gone",
     {in(A, 900, 0), in(B, 800, 1), in(C, 700, 2), throws(600, 4), resumes(700, 9),
      catches(800, 10), out(A, 900, 20)},
     {{C, 2, 4, 2, kFailed}, {B, 1, 9, 6, kFailed}, {A, 0, 20, 12, kOk}},
     {0, 0, 0}},
    {"a destructor that is observed runs while the exception is on its way",
     {in(A, 900, 0), in(B, 800, 1), in(C, 700, 2), throws(600, 4), in(D, 700, 5), out(D, 700, 8),
      resumes(750, 9), catches(800, 10), out(A, 900, 20)},
     {{C, 2, 4, 2, kFailed}, {D, 5, 8, 3, kOk}, {B, 1, 9, 3, kFailed}, {A, 0, 20, 12, kOk}},
     {0, 0, 0, 0}},
    {"a catch whose throw was not seen ends what it caught",
     {in(A, 900, 0), in(B, 800, 1), catches(800, 4), out(A, 900, 10)},
     {{B, 1, 4, 3, kFailed}, {A, 0, 10, 7, kOk}},
     {0, 0}},
    {"a catch in a frame leaves those above it alone",
     {in(A, 900, 0), in(B, 800, 1), throws(700, 2), catches(750, 3), out(B, 800, 6),
      out(A, 900, 7)},
     {{B, 1, 6, 5, kOk}, {A, 0, 7, 2, kOk}},
     {0, 0}},
    {"an exception that is caught and goes on is one still",
     {in(A, 900, 0), in(B, 800, 1), in(C, 700, 2), throws(600, 4), catches(700, 5), resumes(700, 7),
      catches(800, 8), out(A, 900, 20)},
     {{C, 2, 4, 2, kFailed}, {B, 1, 7, 4, kFailed}, {A, 0, 20, 14, kOk}},
     {0, 0, 0}},
    {"the end of a thread, through frames whose destructors work: nothing has failed",
     {in(A, 900, 0), in(B, 800, 1), in(C, 700, 2), forces(600, 4), in(D, 700, 5), out(D, 700, 8),
      resumes(750, 9), in(D, 800, 10), out(D, 800, 11), resumes(850, 12),
      other(EventKind::kThreadExit, 13)},
     {{C, 2, 4, 2, kJumped},
      {D, 5, 8, 3, kOk},
      {B, 1, 9, 3, kJumped},
      {D, 10, 11, 1, kOk},
      {A, 0, 13, 4, Closed::kThreadExit}},
     {0, 0, 0, 0, 0}},
    {"the end of a thread that is caught on its way, and goes on",
     {in(A, 900, 0), in(B, 800, 1), in(C, 700, 2), forces(600, 4), catches(700, 5), resumes(700, 7),
      in(D, 800, 9), out(D, 800, 10), other(EventKind::kThreadExit, 13)},
     {{C, 2, 4, 2, kJumped},
      {B, 1, 7, 4, kJumped},
      {D, 9, 10, 1, kOk},
      {A, 0, 13, 6, Closed::kThreadExit}},
     {0, 0, 0, 0}},
    {"a destructor that throws and catches while its thread ends: of these only its own call "
     "failed",
     {in(A, 900, 0), in(B, 800, 1), forces(700, 4), in(D, 700, 5), throws(600, 6), catches(710, 7),
      resumes(750, 9), in(C, 800, 10), out(C, 800, 11), other(EventKind::kThreadExit, 13)},
     {{D, 5, 6, 1, kFailed},
      {B, 1, 9, 7, kJumped},
      {C, 10, 11, 1, kOk},
      {A, 0, 13, 4, Closed::kThreadExit}},
     {0, 0, 0, 0}},
    {"a jump: what the next event finds dead ended there",
     {in(A, 900, 0), in(B, 800, 1), in(C, 700, 2), jumps(600, 5), in(D, 800, 10), out(D, 800, 12),
      out(A, 900, 13)},
     {{C, 2, 5, 3, kJumped}, {B, 1, 5, 1, kJumped}, {D, 10, 12, 2, kOk}, {A, 0, 13, 7, kOk}},
     {0, 0, 0, 0}},
    {"a jump within one frame leaves nothing",
     {in(A, 900, 0), in(B, 800, 1), jumps(700, 5), out(B, 800, 10), out(A, 900, 11)},
     {{B, 1, 10, 9, kOk}, {A, 0, 11, 2, kOk}},
     {0, 0}},
    {"of two jumps the later one that can have left a frame counts",
     {in(A, 900, 0), in(B, 800, 1), in(C, 700, 2), jumps(600, 4), jumps(750, 6), out(A, 900, 9)},
     {{C, 2, 4, 2, kJumped}, {B, 1, 6, 3, kJumped}, {A, 0, 9, 4, kOk}},
     {0, 0, 0}},
    {"what a jump left is found dead only later: both bounds are kept",
     {in(A, 900, 0), in(B, 800, 1), jumps(700, 4), in(C, 600, 6), out(C, 600, 7), out(A, 900, 9)},
     {{C, 6, 7, 1, kOk}, {B, 1, 9, 7, kJumped}, {A, 0, 9, 1, kOk}},
     {0, 5, 5}},
    {"a return proves that a jump did not leave what is below",
     {in(A, 900, 0), in(B, 800, 1), in(C, 700, 2), jumps(600, 3), out(C, 700, 4), in(D, 900, 9)},
     {{C, 2, 4, 2, kOk}, {B, 1, 9, 6, kGone}, {A, 0, 9, 1, kGone}},
     {0, 5, 5}},
    {"left unseen: it ended between the event before and the one that shows it",
     {in(A, 900, 0), in(B, 800, 1), out(A, 900, 9)},
     {{B, 1, 9, 8, kGone}, {A, 0, 9, 1, kOk}},
     {8, 8}},
    {"called after a jump and then left unseen: the jump has nothing to do with it",
     {in(A, 900, 0), jumps(800, 2), in(B, 800, 3), out(A, 900, 9)},
     {{B, 3, 9, 6, kGone}, {A, 0, 9, 3, kOk}},
     {6, 6}},
    {"a jump on another stack is none of this one's",
     {in(A, 0x100'0000, 0), in(B, 0x900'0000, 1), jumps(0x8ff'ff00, 4), out(A, 0x100'0000, 9)},
     {{A, 0, 9, 6, kOk}},
     {0}},
    {"a jump to another operation goes on until that one returns",
     {in(A, 900, 0), leaves_by_jump(A, 900, 5), in(B, 900, 6), out(B, 900, 8)},
     {{B, 6, 8, 2, kOk}, {A, 0, 8, 6, kOk}},
     {0, 0}},
    {"each jumps to the next: all end with the last one",
     {in(A, 900, 0), leaves_by_jump(A, 900, 2), in(B, 900, 3), leaves_by_jump(B, 900, 5),
      in(C, 900, 6), in(D, 800, 7), out(D, 800, 8), out(C, 900, 9)},
     {{D, 7, 8, 1, kOk}, {C, 6, 9, 2, kOk}, {B, 3, 9, 3, kOk}, {A, 0, 9, 3, kOk}},
     {0, 0, 0, 0}},
    {"what it jumps to is not seen after all: it ended at the jump",
     {in(D, 950, 0), in(A, 900, 1), leaves_by_jump(A, 900, 5), in(B, 890, 7), out(B, 890, 8),
      out(D, 950, 9)},
     {{A, 1, 5, 4, kOk}, {B, 7, 8, 1, kOk}, {D, 0, 9, 4, kOk}},
     {0, 0, 0}},
    {"an exception out of what it jumped to leaves both",
     {in(A, 900, 0), leaves_by_jump(A, 900, 5), in(B, 900, 6), throws(800, 7), catches(950, 8)},
     {{B, 6, 7, 1, kFailed}, {A, 0, 7, 6, kFailed}},
     {0, 0}},
    {"a thread that ends behind a jump",
     {in(A, 900, 0), leaves_by_jump(A, 900, 5), other(EventKind::kThreadExit, 9)},
     {{A, 0, 5, 5, kOk}},
     {0}},
    {"the end of a thread is no jump's",
     {in(A, 900, 0), in(B, 800, 1), throws(700, 4), other(EventKind::kThreadExit, 6)},
     {{B, 1, 6, 5, Closed::kThreadExit}, {A, 0, 6, 1, Closed::kThreadExit}},
     {0, 0}},
    {"what was left before an exec means nothing behind it",
     {in(A, 900, 0), jumps(800, 2), other(EventKind::kExec, 3), in(B, 900, 4), in(C, 800, 5),
      out(B, 900, 9)},
     {{A, 0, 3, 3, Closed::kExec}, {C, 5, 9, 4, kGone}, {B, 4, 9, 1, kOk}},
     {0, 4, 4}},
};

}  // namespace

TEST_CASE("transfers: frames end where control left them, or within bounds that are kept") {
  for (const Case& c : kCases) {
    CAPTURE(c.name);
    Recorder recorder;
    Tracer tracer({0, 0, 1, 2}, recorder);
    for (const Event& event : c.events) {
      tracer.on_events(0, {&event, 1});
      CHECK(tracer.ledger().balanced());
    }
    CHECK(lines(recorder.closed) == c.closed);
    std::vector<uint64_t> unsure;
    for (const Execution& e : recorder.closed) unsure.push_back(e.unsure_ns);
    CHECK(unsure == c.unsure);
    CHECK_FALSE(recorder.backwards);
  }
}

TEST_CASE("transfers: code that jumps on and on keeps a bounded number of executions open") {
  Recorder recorder;
  Tracer tracer({0, 0, 1, 2}, recorder);
  for (uint64_t i = 0; i < 1000; ++i)
    tracer.on_events(
        0, std::vector<Event>{in(i % 2, 900, 2 * i), leaves_by_jump(i % 2, 900, 2 * i + 1)});
  CHECK(tracer.ledger().open <= 65);
  CHECK(tracer.ledger().balanced());
  CHECK(tracer.ledger().closed[int(kOk)] + tracer.ledger().open == 1000);
}

TEST_CASE("transfers: they are counted by kind, and one of a kind that there is not is ignored") {
  Recorder recorder;
  Tracer tracer({0, 0, 1, 2}, recorder);
  Event wrong = jumps(800, 3);
  wrong.flags = 9;
  tracer.on_events(0, std::vector<Event>{in(A, 900, 0), throws(800, 1), catches(890, 2), wrong,
                                         jumps(800, 4), jumps(800, 5), out(A, 900, 6)});
  const Ledger& ledger = tracer.ledger();
  CHECK(std::vector<uint64_t>(std::begin(ledger.transfers), std::end(ledger.transfers)) ==
        std::vector<uint64_t>{1, 1, 2, 0, 0});
  CHECK(ledger.invalid == 1);
  CHECK(lines(recorder.closed) == std::vector<Line>{{A, 0, 6, 6, kOk}});
}
