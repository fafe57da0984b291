// SPDX-License-Identifier: Apache-2.0
#include "traces/assembler.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "traces.h"

using namespace compmond::traces;
using namespace compmond::traces::test;

namespace {

const Call kTwo = {"A", "f", 10, {{"B", "g", 5, {}, "a"}}, "a"};

struct Assembled {
  explicit Assembled(TraceAssembler::Options options = {})
      : assembler(options, [this](const Trace& trace) { traces.push_back(trace); }) {}
  // In the order in which they end, as a log has them.
  void feed(std::vector<TracedExecution> executions) {
    std::stable_sort(executions.begin(), executions.end(),
                     [](const auto& a, const auto& b) { return a.end_ns < b.end_ns; });
    for (const auto& e : executions) assembler.on_execution(e, e.end_ns);
  }
  std::vector<Trace> traces;
  TraceAssembler assembler;
};

std::string wrong_with(std::vector<TracedExecution> executions) {
  Trace trace;
  return build_trace(executions, trace).value_or("nothing");
}

}  // namespace

TEST_CASE("assembler: the caller is the execution one level up that ran last") {
  Catalogue catalogue;
  const Call call = {"A", "f", 10, {{"B", "g", 5, {{"C", "h"}}}, {"C", "h"}}};
  CHECK(traced(call, catalogue).caller == std::vector<int32_t>{-1, 0, 1, 0});
}

TEST_CASE("assembler: records may come in any order") {
  Catalogue catalogue;
  TraceAssembler::Options options;
  options.linger_ns = 1000;
  Assembled out(options);
  for (const auto& e : executions(kTwo, catalogue, 1)) out.assembler.on_execution(e, 1000);
  out.assembler.finish();
  REQUIRE(out.traces.size() == 1);
  CHECK(out.traces[0].executions == executions(kTwo, catalogue, 1));
}

TEST_CASE("assembler: a trace may have several executions at its bottom") {
  Catalogue catalogue;
  auto records = executions(kTwo, catalogue, 1);
  TracedExecution more = records[0];
  more.eoi = 2;
  records.push_back(more);
  CHECK(built(records).caller == std::vector<int32_t>{-1, 0, -1});
}

TEST_CASE("assembler: without lingering a trace is delivered with its first execution's record") {
  Catalogue catalogue;
  Assembled out;
  out.feed(executions(kTwo, catalogue, 1));
  CHECK(out.traces.size() == 1);
}

TEST_CASE("assembler: each broken rule is named") {
  Catalogue catalogue;
  const auto good = executions({"A", "f", 1, {{"B", "g"}, {"B", "g"}}}, catalogue, 1);
  auto bad = good;
  bad.erase(bad.begin() + 1);
  CHECK(wrong_with(bad) == "eoi 1 is missing");
  bad = good;
  bad[2].eoi = 1;
  CHECK(wrong_with(bad) == "eoi 1 occurs twice");
  bad = good;
  bad[2].ess = 3;
  CHECK(wrong_with(bad) == "ess rises from 1 to 3 at eoi 2");
  bad = good;
  bad[0].ess = 1;
  CHECK(wrong_with(bad) == "its first execution has ess 1, not 0");
  bad = good;
  bad[1].ess = -1;
  CHECK(wrong_with(bad) == "it has a negative eoi or ess");
}

TEST_CASE("assembler: a broken trace is counted and left out, the others go on") {
  Catalogue catalogue;
  Assembled out;
  auto records = executions(kTwo, catalogue, 1);
  records.erase(records.begin() + 1);
  records[0].eoi = 1;
  out.feed(records);
  out.feed(executions(kTwo, catalogue, 2));
  out.assembler.finish();
  REQUIRE(out.traces.size() == 1);
  CHECK(out.traces[0].id == 2);
  CHECK(out.assembler.counts().broken == 1);
  CHECK(out.assembler.counts().broken_executions == 1);
  CHECK(out.assembler.examples() == std::vector<std::string>{"trace 1: eoi 0 is missing"});
}

TEST_CASE("assembler: repair nests what is there by its times") {
  Catalogue catalogue;
  TraceAssembler::Options options;
  options.repair = true;
  Assembled out(options);
  auto records = executions({"A", "f", 1, {{"B", "g", 1, {{"C", "h"}}}, {"D", "i"}}}, catalogue, 1);
  records.erase(records.begin() + 1);  // B
  out.feed(records);
  out.assembler.finish();
  REQUIRE(out.traces.size() == 1);
  CHECK(out.traces[0].caller == std::vector<int32_t>{-1, 0, 0});
  CHECK(out.assembler.counts().repaired == 1);
  CHECK(out.assembler.counts().broken == 0);
}

TEST_CASE("assembler: repair gives every trace its own nesting back") {
  CHECK(rc::check("repair", [] {
    Catalogue catalogue;
    const auto numbers = *rc::gen::nonEmpty(
        rc::gen::container<std::vector<uint32_t>>(rc::gen::arbitrary<uint32_t>()));
    const Trace trace = random_trace(numbers, catalogue, 1);
    auto executions = trace.executions;
    for (auto& e : executions) e.eoi = e.ess = 0;
    repair(executions);
    RC_ASSERT(executions == trace.executions);
  }));
}

TEST_CASE("assembler: a trace that looks complete lingers, since more of it may come") {
  Catalogue catalogue;
  TraceAssembler::Options options;
  options.linger_ns = 1000;
  Assembled out(options);
  const auto first = executions(kTwo, catalogue, 1, 1000);
  out.feed(first);
  TracedExecution more = first[0];
  more.eoi = 2;
  out.assembler.on_execution(more, 1500);  // of another thread, say
  CHECK(out.traces.empty());
  out.feed(executions(kTwo, catalogue, 2, 5000));
  REQUIRE(out.traces.size() == 1);
  CHECK(out.traces[0].executions.size() == 3);
  out.assembler.finish();
  CHECK(out.traces.size() == 2);
}

TEST_CASE("assembler: a trace that the log calls unusable is broken, whatever its records say") {
  Catalogue catalogue;
  Assembled out;
  out.assembler.on_unusable(1, "for this reason");
  out.feed(executions(kTwo, catalogue, 1));
  out.assembler.finish();
  CHECK(out.traces.empty());
  CHECK(out.assembler.examples() == std::vector<std::string>{"trace 1: for this reason"});
}

TEST_CASE("assembler: beyond its limit it gives up the traces that stood still longest") {
  Catalogue catalogue;
  TraceAssembler::Options options;
  options.open_limit = 10;
  Assembled out(options);
  for (int64_t id = 1; id <= 11; ++id) {
    TracedExecution alone = executions(kTwo, catalogue, id)[1];  // its caller never comes
    out.assembler.on_execution(alone, uint64_t(id) * 100);
  }
  CHECK(out.assembler.counts().broken == 6);
  out.feed({executions(kTwo, catalogue, 11)[0]});
  REQUIRE(out.traces.size() == 1);
  CHECK(out.traces[0].id == 11);
}

TEST_CASE("assembler: no execution is lost or counted twice") {
  CHECK(rc::check("conservation", [] {
    Catalogue catalogue;
    std::vector<TracedExecution> all;
    const auto traces = *rc::gen::inRange(1, 6);
    for (int64_t id = 1; id <= traces; ++id) {
      const auto numbers = *rc::gen::nonEmpty(
          rc::gen::container<std::vector<uint32_t>>(rc::gen::arbitrary<uint32_t>()));
      const Trace trace = random_trace(numbers, catalogue, id);
      all.insert(all.end(), trace.executions.begin(), trace.executions.end());
    }
    // Any records lost, any order.
    std::vector<TracedExecution> kept;
    for (const auto& e : all)
      if (*rc::gen::inRange(0, 20) > 0) kept.push_back(e);
    std::sort(kept.begin(), kept.end(),
              [](const auto& a, const auto& b) { return a.end_ns < b.end_ns; });
    TraceAssembler::Options options;
    options.linger_ns = kLingerNs;
    uint64_t delivered = 0;
    TraceAssembler assembler(options,
                             [&](const Trace& trace) { delivered += trace.executions.size(); });
    for (const auto& e : kept) assembler.on_execution(e, e.end_ns);
    assembler.finish();
    const auto& counts = assembler.counts();
    RC_ASSERT(delivered == counts.executions);
    RC_ASSERT(counts.executions + counts.broken_executions == kept.size());
  }));
}
