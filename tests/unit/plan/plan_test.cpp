// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.h"

#include <doctest/doctest.h>

#include "plan/states.h"
#include "programs.h"

using namespace compmond;
using namespace compmond::plan::test;
using plan::Candidate;
using plan::make_plan;
using plan::Plan;
using plan::PlanOptions;

namespace {

// Takes every function at its first instruction, but for those with an "x" in their name.
class Simple : public plan::Planner {
 public:
  explicit Simple(std::string site) : site_(std::move(site)) {}
  std::vector<plan::Way> plan(const plan::Wanted& wanted) override {
    plan::Way out;
    out.refused = wanted.function.name.find('x') != std::string::npos;
    if (out.refused) out.reason = "it has an x";
    out.exit = wanted.exit;
    out.site = site_;
    out.entry_offset = wanted.function.vaddr;
    return {std::move(out)};
  }

 private:
  std::string site_;
};

plan::PlannerOf simple(const std::string& engine) {
  return {engine, [engine](const std::vector<Candidate>&) {
            return std::make_unique<Simple>(engine + "-site");
          }};
}

// Likewise, by writing over code.
class Writing : public Simple {
 public:
  Writing() : Simple("written") {}
  std::vector<plan::Way> plan(const plan::Wanted& wanted) override {
    auto out = Simple::plan(wanted);
    if (!out.front().refused) out.front().patches.emplace_back();
    return out;
  }
};

PlanOptions with_one(PlanOptions options = {}) {
  options.planners = {simple("one")};
  return options;
}

Plan plan_of(const spec::Spec& spec, const PlanOptions& options = with_one()) {
  auto plan = make_plan(spec, {app(), library()}, options);
  if (!plan) FAIL(plan.error().text());
  return *plan;
}

std::string error_of(const spec::Spec& spec) {
  const auto plan = make_plan(spec, {app(), library()}, with_one());
  REQUIRE_FALSE(plan);
  CHECK(plan.error().code == Exit::kData);
  return plan.error().why;
}

}  // namespace

TEST_CASE("plan: each operation has a way of each engine, in the order of their trial") {
  PlanOptions options;
  options.planners = {simple("one"), simple("other")};
  const Plan plan = plan_of(spec_of({{"open_file"}}), options);
  REQUIRE(plan.operations.size() == 1);
  REQUIRE(plan.images.size() == 1);
  const auto& open = plan.operations[0];
  CHECK(open.name == "open_file");
  CHECK(open.pointer == "/components/0/in/0");
  CHECK(plan.images[size_t(open.image)].path == "/opt/app/bin/app");
  REQUIRE(open.ways.size() == 2);
  CHECK(open.ways[0].engine == "one");
  CHECK(open.ways[0].site == "one-site");
  CHECK(open.ways[0].entry_offset == open.vaddr);
  CHECK(open.ways[1].engine == "other");
}

TEST_CASE("plan: engines are told the exit that is wanted, the option's where the spec says auto") {
  auto spec = spec_of({{"open_file", "close_file"}});
  spec.components[0].operations[1].exit = spec::ExitMode::kRetSites;
  const Plan plan = plan_of(spec, with_one({spec::ExitMode::kEntryOnly, false, true}));
  CHECK(plan.operations[0].ways[0].exit == spec::ExitMode::kEntryOnly);
  CHECK(plan.operations[1].ways[0].exit == spec::ExitMode::kRetSites);
}

TEST_CASE("plan: operations of one component that share a name show their full ones") {
  const Plan plan = plan_of(spec_of({{"ns::f"}}, "libhost.so.1"));
  REQUIRE(plan.operations.size() == 2);
  CHECK(plan.operations[0].name + " " + plan.operations[1].name == "ns::f(int) ns::f(char)");
}

TEST_CASE("plan: the spec's name, interface, slo and landmark reach the operation") {
  auto spec = spec_of({{"open_file"}});
  auto& asked = spec.components[0].operations[0];
  asked.name = "open";
  asked.slo_ms = 50;
  asked.landmark = true;
  asked.interface = spec::Interface::kOut;
  const auto planned = plan_of(spec).operations[0];
  CHECK(planned.name == "open");
  CHECK(planned.slo_ms == 50);
  CHECK(planned.landmark);
  CHECK(planned.interface == spec::Interface::kOut);
}

TEST_CASE("plan: the second pattern of one component that matches a function changes nothing") {
  const Plan plan = plan_of(spec_of({{"send_one", "send_*"}}));
  REQUIRE(plan.operations.size() == 2);
  CHECK(plan.operations[0].pointer == "/components/0/in/0");
  CHECK(plan.operations[1].symbol == "send_two");
  CHECK(plan.operations[1].pointer == "/components/0/in/1");
}

TEST_CASE(
    "plan: two components that claim one function are an error naming both, by whatever alias") {
  CHECK(error_of(spec_of({{"send_one"}, {"send_*"}})) ==
        "/components/0/in/0 and /components/1/in/0 both claim send_one of app: a function belongs "
        "to one component");
  CHECK(error_of(spec_of({{"open_file"}, {"alias_of_open"}})).find("both claim") !=
        std::string::npos);
}

TEST_CASE("plan: patterns that match nothing are all named, each with near names") {
  const std::string error = error_of(spec_of({{"open_fil", "send_*"}, {"clos_file"}}));
  CHECK(error.find(
            "/components/0/in/0: \"open_fil\" matches no function of app; nearest: open_file") !=
        std::string::npos);
  CHECK(error.find(
            "/components/1/in/0: \"clos_file\" matches no function of app; nearest: close_file") !=
        std::string::npos);
  CHECK(error.find("send_*") == std::string::npos);
}

TEST_CASE("plan: of a stripped program it is said that it is") {
  const std::vector<Candidate> images{
      built_image("/bin/bare", ".c",
                  "static int __attribute__((noinline)) inner(int x) { return x + 1; }\n"
                  "int outer(int x) { return inner(x); }",
                  true, "-s")};
  const auto plan = make_plan(spec_of({{"inner"}}), images, with_one());
  REQUIRE_FALSE(plan);
  CHECK(plan.error().why.find("matches no function of bare (stripped: only what it exports has a "
                              "name; ") != std::string::npos);
  CHECK(make_plan(spec_of({{"outer"}}), images, with_one()).has_value());
  CHECK(error_of(spec_of({{"inner"}})).find("stripped") == std::string::npos);
}

TEST_CASE("plan: a copy that is a function's only body is said to be one, its arguments unknown") {
  const std::vector<Candidate> images{
      built_image("/bin/copy", ".s",
                  ".text\n.type f.isra.0, @function\nf.isra.0: ret\n.size f.isra.0, 1", true)};
  auto spec = spec_of({{"f"}});
  const auto plan = make_plan(spec, images, with_one());
  REQUIRE(plan);
  CHECK(plan->operations.at(0).symbol == "f.isra.0");
  CHECK(plan->operations[0].note == "its only body is the compiler's copy f.isra.0");
  spec.components[0].operations[0].contexts.emplace_back();
  const auto refused = make_plan(spec, images, with_one());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().why.find("f.isra.0, whose arguments may be others") != std::string::npos);
}

TEST_CASE("plan: an optional pattern may match nothing") {
  auto spec = spec_of({{"nothing_like_it", "send_one"}});
  spec.components[0].operations[0].optional = true;
  CHECK(plan_of(spec).operations.size() == 1);
  auto elsewhere = spec_of({{"f"}}, "libgone.so");
  elsewhere.components[0].operations[0].optional = true;
  CHECK(plan_of(elsewhere).operations.empty());
}

TEST_CASE("plan: a pattern that matches only data or an import is an error that says which") {
  const std::string data = error_of(spec_of({{"table"}}));
  CHECK(data.starts_with(
      "/components/0/in/0: \"table\" matches nothing in app that can be observed: table is "));
  CHECK(error_of(spec_of({{"other"}}, "libhost.so.1")).find("can be observed: other() is ") !=
        std::string::npos);
}

TEST_CASE("plan: an image that is not mapped is an error with those that are") {
  CHECK(error_of(spec_of({{"f"}}, "libgone.so")) ==
        "/components/0: no file that the target maps is called libgone.so; it maps app, "
        "libhost.so.1. A library that is loaded later is found by its full path");
}

TEST_CASE("plan: an image that is not mapped is told once, however many components name it") {
  auto spec = spec_of({{"f"}}, "libgone.so");
  spec.components.push_back(spec.components[0]);
  const std::string error = error_of(spec);
  CHECK(error.find("libgone.so") == error.rfind("libgone.so"));
}

TEST_CASE("plan: a bad pattern is an error at its place") {
  CHECK(error_of(spec_of({{"re:(", "send_one"}})).starts_with("/components/0/in/0: "));
}

TEST_CASE("plan: too many functions need --many") {
  std::string source;
  for (int i = 0; i < 2001; ++i) source += "int f" + std::to_string(i) + "(int x) { return x; }\n";
  const std::vector<Candidate> images{built_image("/bin/big", ".c", source, true)};
  const auto spec = spec_of({{"f*"}});
  const auto refused = make_plan(spec, images, with_one());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().why ==
        "the patterns match more than 2000 functions; give --many to observe up to 100000");
  CHECK(make_plan(spec, images, with_one({spec::ExitMode::kAuto, true, true}))->operations.size() ==
        2001);
}

TEST_CASE("plan: what a jump leads to is known, where it is observed") {
  class Jumping : public plan::Planner {
   public:
    std::vector<plan::Way> plan(const plan::Wanted& wanted) override {
      plan::Way out;
      out.exit = spec::ExitMode::kRetSites;
      out.exits = {{1, -1, true, target}, {2, -1, false, 0}};
      if (wanted.function.name == "open_file") target = wanted.function.vaddr;
      return {std::move(out)};
    }
    uint64_t target = 0;
  };
  const PlanOptions options{
      .planners = {{"one", [](const auto&) { return std::make_unique<Jumping>(); }}}};
  spec::Spec spec;
  spec::Component& component = spec.components.emplace_back();
  component.path = component.name = "c";
  for (const char* name : {"open_file", "close_file"}) {
    component.operations.emplace_back().symbol = name;
  }
  const auto plan = make_plan(spec, {app()}, options);
  REQUIRE(plan);
  CHECK_FALSE(plan->operations[0].ways[0].exits[0].to_observed);
  CHECK(plan->operations[1].ways[0].exits[0].to_observed);
  CHECK_FALSE(plan->operations[1].ways[0].exits[1].to_observed);
}

TEST_CASE("plan: the engine that an operation asks for comes first, and no other one writes code") {
  const auto engines_of = [](const std::string& engine) {
    spec::Spec spec = spec_of({{"open_file"}});
    spec.components[0].operations[0].engine = engine;
    PlanOptions options;
    options.planners = {simple("one"),
                        {"writes", [](const auto&) { return std::make_unique<Writing>(); }},
                        simple("two")};
    options.engines = {"one", "writes", "two", "absent"};
    const Plan plan = plan_of(spec, options);
    std::string out = plan.operations[0].note;
    for (const plan::Way& way : plan.operations[0].ways) out += " " + way.engine;
    return out;
  };
  CHECK(engines_of("") == " one writes two");
  CHECK(engines_of("writes") == " writes one two");
  CHECK(engines_of("two") == " two one");
  CHECK(engines_of("one") == " one two");
  CHECK(engines_of("absent") ==
        "absent is asked for, and not at work (--engine, --allow-patching) one writes two");
}

TEST_CASE("plan: an engine that there is not is an error with its place") {
  spec::Spec spec = spec_of({{"open_file"}});
  spec.components[0].operations[0].engine = "inprocess";
  PlanOptions options = with_one();
  options.engines = {"uprobe", "in-process"};
  const auto plan = make_plan(spec, {app(), library()}, options);
  REQUIRE_FALSE(plan);
  CHECK(plan.error().why ==
        "/components/0/in/0: there is no engine \"inprocess\": it is auto, uprobe or in-process");
}
