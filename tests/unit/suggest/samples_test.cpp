// SPDX-License-Identifier: Apache-2.0
#include "suggest/samples.h"

#include <doctest/doctest.h>

#include <optional>

#include "small_programs.h"
#include "spec/parse.h"

namespace compmond::suggest {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

// Draft and run of a component "db", of five seconds.
struct Counted {
  Draft draft;
  snapshot::Snapshot run;

  Counted() {
    draft.components.push_back({.name = "db"});
    run.window_start_ns = kSecond;
    run.window_end_ns = 6 * kSecond;
    run.components.emplace_back().name = "db";
  }
  snapshot::Figures& add(const std::string& pattern, const std::string& name, uint64_t calls,
                         snapshot::Presence state = snapshot::Presence::kAttached) {
    if (!pattern.empty()) draft.components[0].operations.push_back({.pattern = pattern});
    snapshot::Operation& operation = run.components[0].operations.emplace_back();
    operation.name = name;
    operation.symbol = "_Z" + name;
    operation.state = state;
    operation.figures.calls = calls;
    return operation.figures;
  }
  DraftOperation& operation(size_t i) { return draft.components[0].operations.at(i); }
  void take() { take_counts(draft, run); }
};

Counted with_shares(std::initializer_list<std::pair<double, uint64_t>> all) {
  Counted out;
  for (const auto& [share, calls] : all) {
    const std::string name = "f" + std::to_string(out.draft.components[0].operations.size());
    out.add(name, name, calls);
    out.draft.components[0].operations.back().cpu_share = share;
  }
  out.take();
  return out;
}

}  // namespace

TEST_CASE("counts: calls by the time that they were counted for, of all overloads") {
  Counted counted;
  counted.add("db::read", "db::read(int)", 100);
  counted.add("", "db::read(char)", 50);
  counted.add("_Zdb::odd", "db::odd", 10);
  counted.add("db::rea", "db::rea", 5);
  counted.take();
  CHECK(counted.draft.counted_s == 5);
  CHECK(counted.operation(0).calls_per_s == 30);
  CHECK(counted.operation(1).calls_per_s == 2);
  CHECK(counted.operation(2).calls_per_s == 1);
  CHECK_FALSE(counted.operation(0).rate_at_least);
}

TEST_CASE("counts: what was looked at for a part of the time is called that often at least") {
  Counted counted;
  auto& figures = counted.add("f", "f", 100, snapshot::Presence::kThrottled);
  figures.at_least = true;
  figures.observed_share = 0.1;
  counted.take();
  CHECK(counted.operation(0).calls_per_s == 200);
  CHECK(counted.operation(0).rate_at_least);
  CHECK(counted.operation(0).too_hot);
}

TEST_CASE("counts: of what was seen too little nothing is known, and it stays") {
  Counted counted;
  counted.add("f", "f", 0, snapshot::Presence::kThrottled).at_least = true;
  counted.operation(0).cpu_share = 0.5;
  counted.take();
  CHECK_FALSE(counted.operation(0).calls_per_s.has_value());
  CHECK(counted.operation(0).too_hot);
}

TEST_CASE("counts: what could not be attached is not called never") {
  Counted counted;
  counted.add("f", "f", 0, snapshot::Presence::kRefused);
  counted.operation(0).cpu_share = 0.5;
  counted.take();
  CHECK_FALSE(counted.operation(0).calls_per_s.has_value());
}

TEST_CASE("counts: what runs and is never called runs all the while, and is left out") {
  Counted counted = with_shares({{0.4, 0}, {0.01, 0}, {0.3, 50}});
  REQUIRE(counted.draft.components[0].operations.size() == 2);
  CHECK(counted.operation(0).pattern == "f1");
  CHECK(with_shares({{0.4, 0}}).draft.components.empty());
}

TEST_CASE("counts: what was on all stacks stays where it is called, and holds its time then") {
  for (const uint64_t calls : {0, 50}) {
    Counted counted;
    counted.add("serve", "serve", calls);
    counted.operation(0).cpu_share = 0.99;
    counted.operation(0).may_never_end = true;
    counted.draft.named_share = 0.7;
    counted.take();
    CHECK(counted.draft.components.size() == (calls > 0 ? 1 : 0));
    CHECK(counted.draft.named_share == doctest::Approx(calls > 0 ? 0.99 : 0.7));
  }
}

TEST_CASE("counts: without any it does not stay, and all else does") {
  Counted counted;
  counted.add("serve", "serve", 0);
  counted.add("read", "read", 0);
  counted.operation(0).may_never_end = true;
  take_no_counts(counted.draft);
  REQUIRE(counted.draft.components[0].operations.size() == 1);
  CHECK(counted.operation(0).pattern == "read");
}

TEST_CASE("counts: the landmark is the outermost of those that most of the time is below") {
  Counted counted = with_shares({{0.97, 500}, {0.95, 50}, {0.6, 20}});
  CHECK_FALSE(counted.operation(0).landmark);
  CHECK(counted.operation(1).landmark);
  CHECK_FALSE(counted.operation(2).landmark);
}

TEST_CASE("counts: what is called hardly or all too often, or holds little, is no landmark") {
  Counted counted = with_shares({{0.9, 4}, {0.9, 5001}, {0.49, 50}});
  for (const DraftOperation& one : counted.draft.components[0].operations)
    CHECK_FALSE(one.landmark);
}

TEST_CASE(
    "counts: there is no landmark where one with more below it is called too often or who knows "
    "how often") {
  const Counted often = with_shares({{0.99, 50'000}, {0.7, 50}});
  CHECK_FALSE(often.draft.components[0].operations[1].landmark);
  Counted unknown;
  unknown.add("f", "f", 100, snapshot::Presence::kThrottled).at_least = true;
  unknown.operation(0).cpu_share = 0.9;
  unknown.take();
  CHECK_FALSE(unknown.operation(0).landmark);
}

TEST_CASE("samples: the spec of one function is one, of a library too") {
  const auto spec = spec::parse(spec_of_one("db \"x\"", {.path = "/opt/libdb.so.1"}), "one.json");
  REQUIRE(spec.has_value());
  CHECK(spec->components[0].image == "libdb.so.1");
}

TEST_CASE("samples: functions are found by address, or else by name, and others are nobody's") {
  SmallProgram app;
  for (const char* name : {"run", "db::read"}) app.add(name);
  snapshot::Inside inside;
  inside.total.samples = 60;
  const auto function = [&](const std::string& name, const std::string& image,
                            std::optional<uint64_t> start) {
    inside.functions.emplace_back().name = name;
    inside.functions.back().image = image;
    inside.functions.back().start = start;
  };
  function("run", "/opt/app/app", 0x1000);
  function("db::read", "/opt/app/app", 0x9000);
  function("run", "/usr/lib/other.so", 0x1000);
  inside.callees = {{.cpu_ns = 6e8, .samples = 60},
                    {.parent = 0, .function = 0, .own_cpu_ns = 1e8, .samples = 60},
                    {.parent = 1, .function = 1, .own_cpu_ns = 2e8, .samples = 50},
                    {.parent = 2, .function = 2, .own_waiting_ns = 3e8, .samples = 30}};
  const Evidence evidence = evidence_of(app.program(), inside, 5);
  REQUIRE(evidence.nodes.size() == 3);
  CHECK(evidence.nodes[0].parent == StackNode::kNobody);
  CHECK(evidence.nodes[0].function == 0);
  CHECK(evidence.nodes[1].function == 1);
  CHECK(evidence.nodes[1].parent == 0);
  CHECK(evidence.nodes[2].function == StackNode::kNobody);
  CHECK(evidence.nodes[2].waiting_ns == 3e8);
  CHECK(evidence.samples == 60);
  CHECK(evidence.cpu_samples == 30);
}

}  // namespace compmond::suggest
