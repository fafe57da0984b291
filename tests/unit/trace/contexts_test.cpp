// SPDX-License-Identifier: Apache-2.0
#include "trace/contexts.h"

#include <doctest/doctest.h>

#include "recorder.h"

using namespace compmond;
using namespace compmond::trace;
using record::ContextKind;
using record::ContextType;
using record::Event;
using record::EventKind;

namespace {

constexpr OperationId A = 0, B = 1;

// What a tracer tells of contexts, as text, before the executions that they belong to.
struct Told : Recorder {
  void on_context(uint64_t trace_id, uint32_t eoi, const Context& context) override {
    for (const Begun& known : begun) late |= known.trace_id == trace_id && known.eoi == eoi;
    const char* const kinds[] = {"trace", "session", "give", "take"};
    lines.push_back(
        std::to_string(trace_id) + "/" + std::to_string(eoi) + " " + kinds[int(context.kind)] +
        " " +
        (context.type == ContextType::kString ? context.text : std::to_string(context.number)));
  }
  std::vector<std::string> lines;
  bool late = false;
};
using Lines = std::vector<std::string>;

Lines told_in(size_t size, const std::vector<Event>& events, uint64_t absent) {
  Told out;
  Tracer tracer({0, 0}, out);
  for (size_t at = 0; at < events.size(); at += size)
    tracer.on_events(0, {&events[at], std::min(size, events.size() - at)});
  CHECK_FALSE(out.late);
  CHECK(tracer.ledger().balanced());
  CHECK(tracer.ledger().absent_contexts == absent);
  return out.lines;
}

// One event after the other, as chunks may end anywhere, and all at once.
Lines told(const std::vector<Event>& events, uint64_t absent = 0) {
  const Lines single = told_in(1, events, absent);
  CHECK(told_in(events.size(), events, absent) == single);
  return single;
}

template <class... Parts>
std::vector<Event> joined(const Parts&... parts) {
  std::vector<Event> out;
  const auto add = [&](const auto& part) {
    if constexpr (std::is_same_v<std::decay_t<decltype(part)>, Event>)
      out.push_back(part);
    else
      out.insert(out.end(), part.begin(), part.end());
  };
  (add(parts), ...);
  return out;
}

}  // namespace

TEST_CASE("contexts: what arguments say belongs to the execution that begins next") {
  CHECK(told({in(A, 900, 1), says(B, ContextKind::kTraceId, ContextType::kInteger, 42),
              says(B, ContextKind::kGive, ContextType::kPointer, 77), in(B, 800, 5), out(B, 800, 6),
              in(B, 800, 7), out(B, 800, 8), out(A, 900, 9),
              says(A, ContextKind::kTake, ContextType::kPointer, 77), in(A, 900, 10)}) ==
        Lines{"1/1 trace 42", "1/1 give 77", "2/0 take 77"});
}

TEST_CASE("contexts: a call without an end has them, too") {
  CHECK(told({says(A, ContextKind::kTraceId, ContextType::kInteger, 1),
              in(A, 900, 5, record::kEntryOnly)}) == Lines{"1/0 trace 1"});
}

TEST_CASE("contexts: a text comes in parts of eight bytes") {
  for (const std::string what : {"", "a", "12345678", "123456789", "ein längerer Text als acht"}) {
    CAPTURE(what);
    CHECK(told(joined(text(A, ContextKind::kTraceId, what), in(A, 900, 5))) ==
          Lines{"1/0 trace " + what});
  }
  const std::string longest(64, 'x');
  CHECK(told(joined(text(A, ContextKind::kTraceId, longest), text(A, ContextKind::kSessionId, "s"),
                    in(A, 900, 5))) == Lines{"1/0 trace " + longest, "1/0 session s"});
}

TEST_CASE("contexts: what was lost in between is not guessed") {
  const Event id = says(A, ContextKind::kTraceId, ContextType::kInteger, 42);
  CHECK(told({id, other(EventKind::kLoss, 5, 1), in(A, 900, 6)}).empty());
  CHECK(told({id, in(B, 900, 6), in(A, 800, 7)}).empty());
  CHECK(told({id, in(B, 900, 6)}).empty());
  CHECK(told({id, out(B, 900, 6), in(A, 900, 7)}).empty());
  CHECK(told({says(7, ContextKind::kTraceId, ContextType::kInteger, 42), in(7, 900, 5)}).empty());
}

TEST_CASE("contexts: a text that could not be read as a whole is absent and counted") {
  const auto whole = text(A, ContextKind::kTraceId, "a text of twenty-four ch");
  REQUIRE(whole.size() == 3);
  CHECK(told({whole[0], whole[1], in(A, 900, 5)}, 1).empty());
  CHECK(told({whole[0], says(A, ContextKind::kSessionId, ContextType::kInteger, 3), in(A, 900, 5)},
             1) == Lines{"1/0 session 3"});
  CHECK(told({says(A, ContextKind::kTraceId, ContextType::kString, 0, record::kContextAbsent),
              in(A, 900, 5)},
             1)
            .empty());
  const std::string endless(80, 'x');
  CHECK(told(joined(text(A, ContextKind::kTraceId, endless), in(A, 900, 5)), 1).empty());
}

TEST_CASE("contexts: no more are kept than a call can have") {
  std::vector<Event> events;
  for (uint64_t i = 0; i < 1000; ++i)
    events.push_back(says(A, ContextKind::kTraceId, ContextType::kInteger, i));
  CHECK(told(joined(events, in(A, 900, 5))).size() == 4);
}
