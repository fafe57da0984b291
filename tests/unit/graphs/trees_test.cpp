// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <numeric>

#include "../traces/traces.h"
#include "graphs/call_tree.h"
#include "graphs/equivalence.h"
#include "graphs/messages.h"
#include "graphs/sequence.h"

using namespace compmond;
using namespace compmond::graphs;
using namespace compmond::traces;
using namespace compmond::traces::test;

namespace {

const Call kTwice = {"A", "f", 10, {{"B", "g", 5}, {"C", "h", 3}, {"B", "g", 7}}};

}  // namespace

TEST_CASE("call tree: the dynamic tree has a node per call, the aggregated one per path") {
  Catalogue catalogue;
  CallTree dynamic(catalogue, {}, CallTree::Kind::kDynamic),
      aggregated(catalogue, {}, CallTree::Kind::kAggregated);
  for (int64_t id = 1; id <= 2; ++id) {
    dynamic.add(traced(kTwice, catalogue, id));
    aggregated.add(traced(kTwice, catalogue, id));
  }
  CHECK(dynamic.nodes().size() == 9);
  REQUIRE(aggregated.nodes().size() == 4);
  const auto& bottom = aggregated.nodes()[1];
  CHECK(aggregated.name(1) == "A.f");
  CHECK(bottom.count == 2);
  CHECK(bottom.raw_ns == 110);  // 4 * 10 + 5 + 3 + 7, twice
  CHECK(bottom.real_ns == 80);
  CHECK(aggregated.name(2) == "B.g");
  CHECK(aggregated.nodes()[2].count == 4);
  CHECK(aggregated.nodes()[2].raw_ns == 24);
  CHECK(aggregated.name(0) == "$");
  CHECK(aggregated.nodes()[0].count == 2);
}

TEST_CASE("call tree: what probes took is taken out of the sum, not of each execution") {
  Catalogue catalogue;
  Trace trace = traced(kTwice, catalogue);
  for (auto& execution : trace.executions) {
    execution.inside_ns = 6;
    execution.outside_ns = 8;
  }
  CallTree tree(catalogue, {}, CallTree::Kind::kAggregated);
  tree.add(trace);
  CHECK(tree.nodes()[1].real_ns == 40);
  CHECK(tree.nodes()[1].net_real_ns() == 40 - 6 - 3 * 8);
  CHECK(tree.nodes()[2].real_ns == 12);  // 5 and 7: one is shorter than its probes
  CHECK(tree.nodes()[2].net_real_ns() == 0);
  CHECK(tree.nodes()[3].net_real_ns() == 0);  // never below
  EquivalenceClasses classes(false);
  classes.add(trace);
  classes.add(trace);
  const CallTree of_class = call_tree(classes.classes().front(), catalogue, {});
  CHECK(of_class.nodes()[1].net_real_ns() == 2 * tree.nodes()[1].net_real_ns());
}

TEST_CASE("call tree: the same operation on another path or host is another node") {
  Catalogue catalogue;
  const Call call = {"A", "f", 1, {{"B", "g", 1, {{"C", "h"}}}, {"C", "h", 1, {}, "b"}}};
  CallTree plain(catalogue, {}, CallTree::Kind::kAggregated),
      hosts(catalogue, {Level::kOperation, true}, CallTree::Kind::kAggregated);
  plain.add(traced(call, catalogue));
  hosts.add(traced(call, catalogue));
  CHECK(plain.nodes().size() == 5);
  CHECK(hosts.name(hosts.nodes()[1].children[1]) == "b::C.h");
}

TEST_CASE("call tree: real times add up to the raw time at the bottom, calls to the executions") {
  CHECK(rc::check("sums", [] {
    Catalogue catalogue;
    CallTree tree(catalogue, {*rc::gen::element(Level::kOperation, Level::kComponent)},
                  *rc::gen::element(CallTree::Kind::kDynamic, CallTree::Kind::kAggregated));
    uint64_t executions = 0;
    const int traces = *rc::gen::inRange(1, 5);
    for (int id = 0; id < traces; ++id) {
      const Trace trace = random_trace(*numbers(), catalogue, id);
      executions += trace.executions.size();
      tree.add(trace);
    }
    uint64_t calls = 0, real = 0;
    for (size_t i = 1; i < tree.nodes().size(); ++i) {
      calls += tree.nodes()[i].count;
      real += tree.nodes()[i].real_ns;
    }
    RC_ASSERT(calls == executions);
    RC_ASSERT(real == tree.nodes()[0].raw_ns);
    RC_ASSERT(tree.nodes()[0].count == uint64_t(traces));
  }));
}

TEST_CASE("equivalence: times, sessions and failures do not matter, hosts only where asked for") {
  Catalogue catalogue;
  Trace quick = traced(kTwice, catalogue, 1), slow = traced(kTwice, catalogue, 2);
  for (auto& e : slow.executions) {
    e.end_ns += 100;
    e.failed = true;
    e.session = catalogue.session("other");
  }
  Trace elsewhere = quick;
  elsewhere.executions[1].host = catalogue.host("elsewhere");
  EquivalenceClasses plain(false), deployed(true);
  for (const Trace* trace : {&quick, &slow, &elsewhere}) {
    plain.add(*trace);
    deployed.add(*trace);
  }
  REQUIRE(plain.classes().size() == 1);
  CHECK(plain.classes()[0].cardinality == 3);
  CHECK(plain.classes()[0].representative.id == 1);
  CHECK(plain.classes()[0].raw[1].max_ns == 105);
  CHECK(deployed.classes().size() == 2);
}

TEST_CASE("equivalence: another nesting of the same operations is another class") {
  Catalogue catalogue;
  const Call flat = {"A", "f", 1, {{"B", "g"}, {"C", "h"}}};
  const Call deep = {"A", "f", 1, {{"B", "g", 1, {{"C", "h"}}}}};
  EquivalenceClasses classes(false);
  classes.add(traced(flat, catalogue, 1));
  classes.add(traced(deep, catalogue, 2));
  classes.add(traced(deep, catalogue, 3));
  REQUIRE(classes.classes().size() == 2);
  CHECK(classes.by_cardinality() == std::vector<uint32_t>{1, 0});
}

TEST_CASE("equivalence: classes are a partition, and hold equal traces") {
  CHECK(rc::check("partition", [] {
    Catalogue catalogue;
    EquivalenceClasses classes(false);
    const int traces = *rc::gen::inRange(1, 30);
    for (int id = 0; id < traces; ++id)
      classes.add(random_trace(*rc::gen::resize(3, numbers()), catalogue, id));
    uint64_t members = 0;
    for (const auto& c : classes.classes()) members += c.cardinality;
    RC_ASSERT(members == uint64_t(traces));
    // No two representatives are equal.
    EquivalenceClasses again(false);
    for (const auto& c : classes.classes()) again.add(c.representative);
    RC_ASSERT(again.classes().size() == classes.classes().size());
  }));
}

TEST_CASE("equivalence: the tree of a class sums up its traces") {
  Catalogue catalogue;
  EquivalenceClasses classes(false);
  for (int64_t id = 1; id <= 3; ++id) classes.add(traced(kTwice, catalogue, id));
  const CallTree tree = call_tree(classes.classes()[0], catalogue, {});
  CHECK(tree.nodes().size() == 5);
  CHECK(tree.nodes()[0].count == 3);
  CHECK(tree.nodes()[1].raw_ns == 165);
  CHECK(tree.nodes()[1].real_ns == 120);
}

TEST_CASE("messages: every call has its return, well nested, between the same two") {
  CHECK(rc::check("nesting", [] {
    Catalogue catalogue;
    const Trace trace = random_trace(*numbers(), catalogue, 1);
    std::vector<Message> open;
    size_t calls = 0;
    for_each_message(trace, [&](const Message& message) {
      if (message.kind == Message::Kind::kCall) {
        RC_ASSERT(message.from == (open.empty() ? -1 : open.back().to));
        open.push_back(message);
        ++calls;
        return;
      }
      RC_ASSERT(!open.empty());
      RC_ASSERT(message.from == open.back().to);
      RC_ASSERT(message.to == open.back().from);
      open.pop_back();
    });
    RC_ASSERT(open.empty());
    RC_ASSERT(calls == trace.executions.size());
  }));
}

TEST_CASE("sequence: lifelines are components in the order of their first call") {
  Catalogue catalogue;
  const Sequence of = sequence(traced(kTwice, catalogue, 7), catalogue, {});
  CHECK(of.trace_id == 7);
  CHECK(of.lifelines == std::vector<std::string>{"A", "B", "C"});
  REQUIRE(of.steps.size() == 8);
  CHECK(of.steps[0].from == -1);
  CHECK(of.steps[1].operation == "g");
  CHECK(of.steps[1].from == 0);
  CHECK(of.steps[1].to == 1);
  CHECK(of.steps[1].raw.max_ns == 5);
  CHECK(of.steps[2].kind == Message::Kind::kReturn);
  CHECK(of.steps[7].to == -1);
}

TEST_CASE("trace timing: a row per operation, by first start, with all its executions") {
  Catalogue catalogue;
  const TraceTiming of = trace_timing(traced(kTwice, catalogue, 7, 1000), catalogue, {});
  REQUIRE(of.rows.size() == 3);
  CHECK(of.rows[0].operation == "A.f");
  CHECK(of.rows[1].operation == "B.g");
  REQUIRE(of.rows[1].bars.size() == 2);
  CHECK(of.rows[1].bars[0].start_ns == 1010);
  CHECK(of.rows[1].bars[1].end_ns - of.rows[1].bars[1].start_ns == 7);
  CHECK(of.start_ns == 1000);
  CHECK(of.end_ns == 1055);
}

TEST_CASE("catalogue: operations of one short name are told apart by their parameters") {
  Catalogue catalogue;
  const auto name = [&](const char* signature, const char* long_name) {
    return catalogue.operations()[catalogue.operation("C", signature, "f(..)", long_name)].name;
  };
  CHECK(name("int f(int)", "f(int)") == "f(..)");
  CHECK(name("int f(long)", "f(long)") == "f(long)");
  CHECK(name("void f(long)", "f(long)") == "f(long) #2");
  CHECK(name("int f(long)", "f(long)") == "f(long)");
  CHECK(catalogue.operations().size() == 3);
}
