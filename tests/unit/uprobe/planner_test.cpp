// SPDX-License-Identifier: Apache-2.0
#include "uprobe/planner.h"

#include <doctest/doctest.h>

#include "../plan/programs.h"
#include "plan/plan.h"
#include "plan/states.h"

using namespace compmond;
using namespace compmond::plan::test;
using spec::ExitMode;

namespace {

plan::Plan plan_of(const spec::Spec& spec, plan::PlanOptions options = {},
                   bool returns_reach_all = false) {
  options.planners = {
      {"uprobe", [returns_reach_all](const std::vector<plan::Candidate>& candidates) {
         return std::make_unique<uprobe::Planner>(candidates, returns_reach_all);
       }}};
  plan::Candidate plain = app();  // the same as a library
  plain.path = "/usr/lib/libplain.so.1";
  plain.main = false;
  auto plan = make_plan(spec, {app(), library(), plain}, options);
  if (!plan) FAIL(plan.error().text());
  return *plan;
}

// Of the first operation of a plan.
plan::Way way_of(const plan::Plan& plan) { return plan.operations.at(0).ways.at(0); }

}  // namespace

TEST_CASE("planner: a function of the main executable is planned at its cheapest place") {
  const plan::Plan plan = plan_of(spec_of({{"open_file"}}));
  REQUIRE(plan.operations.size() == 1);
  REQUIRE(plan.images.size() == 1);
  const plan::Way open = way_of(plan);
  CHECK_FALSE(open.refused);
  CHECK(open.moved_by == 4);
  CHECK(open.site == "push");
  CHECK(open.entry_offset == *app().image->file_offset(plan.operations[0].vaddr) + 4);
  CHECK(open.exit == ExitMode::kReturnProbe);
  CHECK(open.exits.empty());
  CHECK(open.reason.empty());
}

TEST_CASE("planner: a probe does not move behind what changes an argument that is to be read") {
  const auto keyed = [](std::vector<spec::Context> contexts) {
    auto spec = spec_of({{"keyed"}});
    spec.components[0].operations[0].contexts = std::move(contexts);
    return plan_of(spec).operations[0];
  };
  using Kind = spec::ContextKind;
  using Type = spec::ContextType;
  CHECK(keyed({}).ways[0].moved_by == 9);
  const auto by_second = keyed({{Kind::kTraceId, Type::kString, 2}});
  CHECK(by_second.ways[0].moved_by == 9);
  CHECK(by_second.contexts == std::vector<spec::Context>{{Kind::kTraceId, Type::kString, 2}});
  CHECK(keyed({{Kind::kTraceId, Type::kString, 2}, {Kind::kGive, Type::kPointer, 1}})
            .ways[0]
            .moved_by == 0);
}

TEST_CASE("planner: a function that ends in a jump to another one is known to make tail calls") {
  const plan::Plan plan = plan_of(spec_of({{"forward", "open_file"}}));
  REQUIRE(plan.operations.size() == 2);
  CHECK(plan.operations[0].ways[0].may_tail_call);
  CHECK_FALSE(plan.operations[1].ways[0].may_tail_call);
}

TEST_CASE(
    "planner: what was chosen since system calls of probes arrive is told from what was asked "
    "for") {
  const auto needs_calls = [](ExitMode mode) {
    return way_of(plan_of(spec_of({{"open_file"}}), {mode, false, true})).needs_calls;
  };
  CHECK(needs_calls(ExitMode::kAuto));
  CHECK_FALSE(needs_calls(ExitMode::kReturnProbe));
  CHECK_FALSE(needs_calls(ExitMode::kRetSites));
}

TEST_CASE("planner: probes stay at the first instruction when moving is off") {
  const plan::Plan plan = plan_of(spec_of({{"open_file"}}), {spec::ExitMode::kAuto, false, false});
  CHECK(way_of(plan).moved_by == 0);
  CHECK(way_of(plan).site == "stepped");
  CHECK(way_of(plan).entry_offset == *app().image->file_offset(plan.operations[0].vaddr));
}

TEST_CASE(
    "planner: a component's image selector picks the library, C++ gets ret-sites with file "
    "offsets") {
  const plan::Plan plan = plan_of(spec_of({{"ns::f(int)"}}, "libhost.so*"));
  REQUIRE(plan.operations.size() == 1);
  CHECK(plan.images[size_t(plan.operations[0].image)].path == "/usr/lib/libhost.so.1");
  CHECK(plan.operations[0].name == "ns::f");
  const plan::Way f = way_of(plan);
  CHECK(f.exit == ExitMode::kRetSites);
  CHECK(f.reason == "ret-sites: libhost.so.1 can throw C++ exceptions");
  REQUIRE(f.exits.size() == 1);
  CHECK(f.exits[0].offset > f.entry_offset);
}

TEST_CASE("planner: where return probes reach all programs, a library gets ret-sites") {
  const auto planned = [](const char* symbol, const char* image) {
    return way_of(plan_of(spec_of({{symbol}}, image), {}, true));
  };
  const plan::Way send = planned("send_one", "libplain.so*");
  CHECK(send.exit == ExitMode::kRetSites);
  CHECK(send.reason ==
        "ret-sites: without sessions (Linux 6.13) return probes reach all programs that map "
        "libplain.so.1");
  CHECK(planned("crooked", "libplain.so*").exit == ExitMode::kReturnProbe);
  CHECK(planned("open_file", "app").exit == ExitMode::kReturnProbe);
}

TEST_CASE("planner: the option decides where the spec says auto, and only there") {
  auto spec = spec_of({{"open_file", "close_file"}});
  spec.components[0].operations[1].exit = spec::ExitMode::kRetSites;
  const plan::Plan plan = plan_of(spec, {spec::ExitMode::kEntryOnly, false, true});
  CHECK(plan.operations[0].ways[0].exit == ExitMode::kEntryOnly);
  CHECK(plan.operations[1].ways[0].exit == ExitMode::kRetSites);
  CHECK(plan.operations[1].ways[0].exits.size() == 1);
}

TEST_CASE(
    "planner: a function that cannot be observed is in the plan as refused, with the reason") {
  const plan::Plan plan = plan_of(spec_of({{"locked", "open_file"}}));
  REQUIRE(plan.operations.size() == 2);
  CHECK(way_of(plan).refused);
  CHECK(way_of(plan).reason ==
        "the kernel takes no probe on an instruction with a lock prefix. Observe its callers or "
        "what it calls instead");
  CHECK_FALSE(plan.operations[1].ways[0].refused);
}

TEST_CASE("planner: ret-sites without known exits is refused, the same function can be counted") {
  const plan::Way refused =
      way_of(plan_of(spec_of({{"crooked"}}), {spec::ExitMode::kRetSites, false, true}));
  CHECK(refused.refused);
  CHECK(refused.reason ==
        "its exits are not all known: at +0x4 the stack is not as at entry (-24 bytes). Set "
        "\"exit\": \"entry-only\" to count it");
  CHECK(refused.exits.empty());
  CHECK_FALSE(
      way_of(plan_of(spec_of({{"crooked"}}), {spec::ExitMode::kEntryOnly, false, true})).refused);
}

TEST_CASE("planner: a conditional tail jump is an exit with its condition") {
  const auto either =
      way_of(plan_of(spec_of({{"either"}}), {spec::ExitMode::kRetSites, false, true}));
  REQUIRE_FALSE(either.refused);
  REQUIRE(either.exits.size() == 2);
  CHECK(either.exits[0].condition == 4);  // je
  CHECK(either.exits[1].condition == code::ExitSite::kAlways);
  CHECK(either.may_tail_call);
}

TEST_CASE("planner: entry and exit of a forwarding function never share an instruction") {
  const auto sites =
      way_of(plan_of(spec_of({{"forward"}}), {spec::ExitMode::kRetSites, false, true}));
  REQUIRE(sites.exits.size() == 1);
  CHECK(sites.moved_by == 0);
  CHECK(sites.exits[0].offset == sites.entry_offset + 4);
  CHECK(way_of(plan_of(spec_of({{"forward"}}))).moved_by == 4);
}

TEST_CASE("planner: behind a return probe that images allow comes the way for when they do not") {
  const auto ways = [](const char* symbol, ExitMode mode) {
    return plan_of(spec_of({{symbol}}), {mode, false, true}).operations[0].ways;
  };
  const auto open = ways("open_file", ExitMode::kAuto);
  REQUIRE(open.size() == 2);
  CHECK(open[0].trusts_images);
  CHECK(open[1].exit == ExitMode::kRetSites);
  CHECK(open[1].exits.size() == 1);
  CHECK_FALSE(open[1].trusts_images);
  CHECK_FALSE(open[1].needs_calls);
  const auto crooked = ways("crooked", ExitMode::kAuto);
  REQUIRE(crooked.size() == 2);
  CHECK_FALSE(crooked[0].refused);
  CHECK(crooked[1].refused);
  CHECK(crooked[1].reason.starts_with("its exits are not all known"));
  for (const ExitMode asked : {ExitMode::kReturnProbe, ExitMode::kRetSites, ExitMode::kEntryOnly}) {
    const auto other = ways("open_file", asked);
    CHECK(other.size() == 1);
    CHECK_FALSE(other[0].trusts_images);
  }
}
