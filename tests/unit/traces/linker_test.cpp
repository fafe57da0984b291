// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>

#include "traces.h"
#include "traces/trace_linker.h"

using namespace compmond::traces;
using namespace compmond::traces::test;

namespace {

using Kind = compmond::ContextKind;

TraceLink link(Kind kind, int32_t eoi, std::string value, uint64_t scope = 0) {
  return {kind, eoi, scope, std::move(value)};
}

struct Linked {
  explicit Linked(size_t limit = compmond::limits::kOpenTraceExecutions)
      : linker(
            catalogue, [this](const Trace& trace) { traces.push_back(trace); }, limit) {}

  // What a thread did, from `at` on; ids are given in order, from 1.
  void thread(const Call& call, uint64_t at, std::vector<TraceLink> links = {}) {
    Trace trace = traced(call, catalogue, ++last_id, at);
    trace.links = std::move(links);
    linker.add(trace);
  }
  // All traces, as "id: f(g h) k" with the operations that each execution called in parentheses.
  std::vector<std::string> finish() {
    linker.finish();
    std::vector<std::string> out;
    for (const Trace& trace : traces) out.push_back(fmt::format("{}:{}", trace.id, tree(trace)));
    return out;
  }
  std::string tree(const Trace& trace, int32_t caller = -1) const {
    std::string out;
    for (size_t i = 0; i < trace.executions.size(); ++i) {
      if (trace.caller[i] != caller) continue;
      const std::string inner = tree(trace, int32_t(i));
      out += (out.empty() && caller >= 0 ? "" : " ") +
             catalogue.operations()[trace.executions[i].operation].name +
             (inner.empty() ? "" : "(" + inner + ")");
    }
    return out;
  }

  Catalogue catalogue;
  std::vector<Trace> traces;
  TraceLinker linker;
  int64_t last_id = 0;
};
using Lines = std::vector<std::string>;

Call call(std::string name, uint64_t own = 10, std::vector<Call> nested = {}) {
  return {"C", std::move(name), own, std::move(nested)};
}

}  // namespace

TEST_CASE("linker: a trace without links passes at once and unchanged") {
  Linked out;
  out.thread(call("f", 10, {call("g")}), 1000);
  REQUIRE(out.traces.size() == 1);
  CHECK(out.traces[0].executions == executions(call("f", 10, {call("g")}), out.catalogue, 1));
  CHECK(out.traces[0].own_ns.empty());
}

TEST_CASE("linker: what takes is a child of the call that gave, and takes nothing of its time") {
  Linked out;
  out.thread(call("handle", 10, {call("put"), call("reply")}), 1000,
             {link(Kind::kGive, 1, "p", 7)});
  out.thread(call("work", 500, {call("store", 50)}), 1015, {link(Kind::kTake, 0, "p", 7)});
  CHECK(out.finish() == Lines{"1: handle(put(work(store)) reply)"});
  const Trace& trace = out.traces[0];
  CHECK(trace.real_ns() == std::vector<uint64_t>{30, 10, 1000, 50, 10});
  CHECK(trace.part == std::vector<uint32_t>{0, 0, 1, 1, 0});
  for (size_t i = 0; i < trace.executions.size(); ++i) {
    CHECK(trace.executions[i].eoi == int32_t(i));
    CHECK(trace.executions[i].trace_id == 1);
  }
  CHECK(trace.max_depth() == 3);
  CHECK(out.linker.counts().linked == 1);
}

TEST_CASE("linker: a value is good for one give and one take, and may be used again") {
  Linked out;
  out.thread(call("put1"), 1000, {link(Kind::kGive, 0, "p", 7)});
  out.thread(call("put2"), 3000, {link(Kind::kGive, 0, "p", 7)});
  out.thread(call("work1"), 2000, {link(Kind::kTake, 0, "p", 7)});
  out.thread(call("work2"), 4000, {link(Kind::kTake, 0, "p", 7)});
  out.thread(call("work3"), 5000, {link(Kind::kTake, 0, "p", 7)});
  CHECK(out.finish() == Lines{"1: put1(work1)", "2: put2(work2)", "5: work3"});
}

TEST_CASE("linker: the latest give counts, never one that came later or from another process") {
  Linked out;
  out.thread(call("early"), 500, {link(Kind::kTake, 0, "p", 7)});
  out.thread(call("put1"), 1000, {link(Kind::kGive, 0, "p", 7)});
  out.thread(call("put2"), 1500, {link(Kind::kGive, 0, "p", 7)});
  out.thread(call("stranger"), 1800, {link(Kind::kTake, 0, "p", 8)});
  out.thread(call("work"), 2000, {link(Kind::kTake, 0, "p", 7)});
  CHECK(out.finish() == Lines{"1: early", "2: put1", "3: put2(work)", "4: stranger"});
}

TEST_CASE("linker: a take is cut out of the loop that made it, whose time stays") {
  Linked out;
  out.thread(call("loop", 100, {call("work1", 20), call("idle", 5), call("work2", 30)}), 1000,
             {link(Kind::kTake, 1, "p", 7), link(Kind::kTake, 3, "q", 7)});
  out.thread(call("put"), 1090, {link(Kind::kGive, 0, "p", 7)});
  // Nobody gave q.
  CHECK(out.finish() == Lines{"1: loop(idle work2)", "2: put(work1)"});
  CHECK(out.traces[0].real_ns() == std::vector<uint64_t>{400, 5, 30});
}

TEST_CASE("linker: calls with the same trace id nest by time across threads and hosts") {
  Linked out;
  out.thread({"S", "serve", 100, {call("query", 20)}, "b"}, 1050, {link(Kind::kTraceId, 0, "r1")});
  out.thread({"S", "serve", 100, {call("query", 20)}, "b"}, 2050, {link(Kind::kTraceId, 0, "r2")});
  out.thread(call("request", 300, {call("send", 20)}), 1000, {link(Kind::kTraceId, 0, "r1")});
  out.thread(call("request", 300, {call("send", 20)}), 2000, {link(Kind::kTraceId, 0, "r2")});
  CHECK(out.finish() == Lines{"3: request(serve(query) send)", "4: request(serve(query) send)"});
  CHECK(out.traces[0].real_ns() == std::vector<uint64_t>{600, 200, 20, 20});
}

TEST_CASE("linker: the innermost open call with the id is the parent") {
  Linked out;
  out.thread(
      call("request", 300, {call("attempt", 50), call("attempt", 50)}), 1000,
      {link(Kind::kTraceId, 0, "r"), link(Kind::kTraceId, 1, "r"), link(Kind::kTraceId, 2, "r")});
  out.thread(call("serve", 5), 1310, {link(Kind::kTraceId, 0, "r")});
  out.thread(call("log", 5), 1500, {link(Kind::kTraceId, 0, "r")});
  CHECK(out.finish() == Lines{"1: request(attempt(serve) log attempt)"});
}

TEST_CASE("linker: without a call that was open they stand side by side, by their starts") {
  Linked out;
  out.thread(call("second"), 2000, {link(Kind::kTraceId, 0, "r")});
  out.thread(call("first", 10, {call("g")}), 1000, {link(Kind::kTraceId, 0, "r")});
  CHECK(out.finish() == Lines{"2: first(g) second"});
  CHECK(out.traces[0].caller == std::vector<int32_t>{-1, 0, -1});
}

TEST_CASE("linker: clocks of two hosts may differ by less than a second") {
  const auto served = [](uint64_t at, const char* host) {
    Linked out;
    out.thread(call("request", 300, {call("attempt", 50)}), 1000,
               {link(Kind::kTraceId, 0, "r"), link(Kind::kTraceId, 1, "r")});
    out.thread({"S", "serve", 100, {}, host}, at, {link(Kind::kTraceId, 0, "r")});
    return out.finish();
  };
  CHECK(served(900, "b") == Lines{"1: request(serve attempt)"});
  CHECK(served(1700, "b") == Lines{"1: request(attempt serve)"});
  CHECK(served(900, "a") == Lines{"2: serve request(attempt)"});
}

TEST_CASE("linker: nothing lies within what is shorter, nor within what is far off") {
  Linked out;
  out.thread(call("request", 300), 1000, {link(Kind::kTraceId, 0, "r")});
  out.thread({"S", "longer", 301, {}, "b"}, 5000, {link(Kind::kTraceId, 0, "r")});
  out.thread({"S", "later", 100, {}, "b"}, 1'000'010'000, {link(Kind::kTraceId, 0, "r")});
  CHECK(out.finish() == Lines{"2: longer(request) later"});
}

TEST_CASE("linker: each id is a trace of its own, also within one loop") {
  Linked out;
  out.thread(call("main", 10, {call("request1", 50), call("request2", 50)}), 1000,
             {link(Kind::kTraceId, 1, "r1"), link(Kind::kTraceId, 2, "r2")});
  out.thread(call("serve", 5), 1090, {link(Kind::kTraceId, 0, "r2")});
  const int64_t own = kFirstLinkedTrace;
  CHECK(out.finish() == Lines{"1: main", fmt::format("{}: request1", own),
                              fmt::format("{}: request2(serve)", own + 1)});
  CHECK(out.traces[0].real_ns() == std::vector<uint64_t>{30});
}

TEST_CASE("linker: an id below another one stays where it was called, and joins both") {
  Linked out;
  out.thread(call("proxy", 100, {call("forward", 300)}), 1000,
             {link(Kind::kTraceId, 0, "outer"), link(Kind::kTraceId, 1, "inner")});
  out.thread(call("serve", 5), 1200, {link(Kind::kTraceId, 0, "inner")});
  out.thread(call("client", 5000), 500, {link(Kind::kTraceId, 0, "outer")});
  CHECK(out.finish() == Lines{"3: client(proxy(forward(serve)))"});
}

TEST_CASE("linker: a pointer as trace id joins only while a call with it is open") {
  Linked out;
  out.thread(call("request", 300), 1000, {link(Kind::kTraceId, 0, "p", 7)});
  out.thread(call("inside", 5), 1100, {link(Kind::kTraceId, 0, "p", 7)});
  out.thread(call("later", 5), 2000, {link(Kind::kTraceId, 0, "p", 7)});
  out.thread(call("elsewhere", 5), 1100, {link(Kind::kTraceId, 0, "p", 8)});
  CHECK(out.finish() == Lines{"1: request(inside)", "4: elsewhere", "3: later"});
}

TEST_CASE("linker: sessions reach what was called from there, on any thread") {
  Linked out;
  out.thread(call("loop", 10, {call("a", 50, {call("put")}), call("b", 50)}), 1000,
             {link(Kind::kSessionId, 1, "alice"), link(Kind::kSessionId, 3, "bob"),
              link(Kind::kGive, 2, "p", 7)});
  out.thread(call("work"), 1065, {link(Kind::kTake, 0, "p", 7)});
  out.thread(call("f", 10, {call("login")}), 3000, {link(Kind::kSessionId, 1, "carol")});
  CHECK(out.finish() == Lines{"1: loop(a(put(work)) b)", "3: f(login)"});
  const auto sessions = [&](const Trace& trace) {
    std::string names;
    for (const auto& e : trace.executions) names += out.catalogue.sessions()[e.session] + ",";
    return names;
  };
  CHECK(sessions(out.traces[0]) == ",alice,alice,alice,bob,");
  CHECK(sessions(out.traces[1]) == "carol,carol,");
}

TEST_CASE("linker: beyond the limit what is held is handed on, and that is told") {
  Linked out(2);
  out.thread(call("put1"), 1000, {link(Kind::kGive, 0, "p", 7)});
  out.thread(call("work1"), 1005, {link(Kind::kTake, 0, "p", 7)});
  out.thread(call("put2"), 2000, {link(Kind::kGive, 0, "p", 7)});
  CHECK(out.linker.counts().early == 1);
  CHECK(out.traces.size() == 2);
  out.thread(call("work2"), 2005, {link(Kind::kTake, 0, "p", 7)});
  CHECK(out.finish() == Lines{"1: put1(work1)", "3: put2", "4: work2"});
}

// Whatever values occur where: nothing is lost or doubled, and the rules of traces hold.
TEST_CASE("linker: any links leave whole traces of the same executions") {
  CHECK(rc::check("executions", [](const std::vector<std::vector<uint32_t>>& threads) {
    Linked out;
    size_t executions = 0;
    uint64_t real = 0;
    for (const auto& numbers : threads) {
      if (numbers.empty()) continue;
      Trace trace = random_trace(numbers, out.catalogue, ++out.last_id);
      const uint64_t shift = numbers[0] % 400;
      for (TracedExecution& e : trace.executions) e.start_ns += shift, e.end_ns += shift;
      for (size_t i = 0; i < numbers.size(); ++i) {
        const uint32_t number = numbers[i] / 16;
        if (number % 3 == 0)
          trace.links.push_back(link(Kind(number / 3 % 4), int32_t(i),
                                     fmt::to_string(number / 12 % 4), number / 48 % 2));
      }
      executions += trace.executions.size();
      for (const uint64_t ns : trace.real_ns()) real += ns;
      out.linker.add(trace);
    }
    out.linker.finish();
    std::set<int64_t> ids;
    for (const Trace& trace : out.traces) {
      RC_ASSERT(!trace.executions.empty());
      RC_ASSERT(ids.insert(trace.id).second);
      auto copy = trace.executions;
      Trace again;
      RC_ASSERT(!build_trace(copy, again));
      RC_ASSERT(again.caller == trace.caller);
      executions -= trace.executions.size();
      for (const uint64_t ns : trace.real_ns()) real -= ns;
      for (size_t i = 0; i < trace.executions.size(); ++i) {
        RC_ASSERT(trace.executions[i].trace_id == trace.id);
        const int32_t caller = trace.caller[i];
        if (caller >= 0 && trace.executions[size_t(caller)].host == trace.executions[i].host)
          RC_ASSERT(trace.executions[size_t(caller)].start_ns < trace.executions[i].start_ns);
      }
    }
    RC_ASSERT(executions == 0);
    RC_ASSERT(real == 0);
    RC_ASSERT(out.linker.counts().traces == out.traces.size());
  }));
}
