// SPDX-License-Identifier: Apache-2.0
#include "inprocess/planner.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "../plan/programs.h"
#include "inprocess/calibration.h"
#include "inprocess/costs.h"
#include "inprocess/tally.h"
#include "plan/plan.h"

using namespace compmond;
using namespace compmond::plan::test;
using spec::ExitMode;

namespace {

plan::Plan plan_of(const spec::Spec& spec, plan::PlanOptions options = {},
                   const std::string& hindrance = {}) {
  options.planners = {{inprocess::kEngine, [](const std::vector<plan::Candidate>& candidates) {
                         return std::make_unique<inprocess::Planner>(candidates);
                       }}};
  plan::Candidate main = app();
  main.hindrance = hindrance;
  auto plan = make_plan(spec, {main, library()}, options);
  if (!plan) FAIL(plan.error().text());
  return *plan;
}

plan::Way way_of(const plan::Plan& plan) { return plan.operations.at(0).ways.at(0); }

}  // namespace

TEST_CASE("in-process planner: an entry, its place in the file, and what goes elsewhere") {
  const plan::Plan plan = plan_of(spec_of({{"open_file"}}));  // endbr64; push; pop; ret
  const plan::Way way = way_of(plan);
  CHECK(way.engine == "in-process");
  REQUIRE_FALSE(way.refused);
  CHECK(way.exit == ExitMode::kRetSites);
  CHECK(way.site == "jump");
  REQUIRE(way.patches.size() == 1);
  const plan::CodePatch& entry = way.patches[0];
  CHECK(way.moved_by == 5);
  CHECK(entry.kind == "behind-first");
  CHECK(entry.offset == *app().image->file_offset(plan.operations[0].vaddr) + 5);
  CHECK(way.entry_offset == entry.offset);
  CHECK(entry.bytes == 5);
  CHECK(entry.instructions == 2);
  CHECK(entry.moved_bytes == 2);
  CHECK(entry.exits == 1);
  REQUIRE(way.exits.size() == 1);
  CHECK(way.exits[0].offset == entry.offset + 1);
  CHECK_FALSE(way.may_tail_call);
}

TEST_CASE("in-process planner: a jump to another function may be a tail call, with its target") {
  const plan::Plan plan = plan_of(spec_of({{"forward", "open_file"}}));
  const plan::Way& forward = plan.operations[0].ways[0];
  REQUIRE_FALSE(forward.refused);
  CHECK(forward.may_tail_call);
  REQUIRE(forward.exits.size() == 1);
  CHECK(forward.exits[0].to_observed);
}

TEST_CASE("in-process planner: a text that an argument points to is not for patched code") {
  spec::Spec spec = spec_of({{"open_file"}});
  auto& contexts = spec.components[0].operations[0].contexts;
  contexts = {{spec::ContextKind::kTraceId, spec::ContextType::kPointer, 1}};
  CHECK_FALSE(way_of(plan_of(spec)).refused);
  contexts[0].type = spec::ContextType::kString;
  const plan::Way way = way_of(plan_of(spec));
  CHECK(way.refused);
  CHECK(way.reason.starts_with("one of its arguments points to a text"));
}

TEST_CASE("in-process planner: what is only counted has no exits") {
  const plan::Way way = way_of(plan_of(spec_of({{"open_file"}}), {ExitMode::kEntryOnly}));
  REQUIRE_FALSE(way.refused);
  CHECK(way.exit == ExitMode::kEntryOnly);
  CHECK(way.exits.empty());
}

TEST_CASE("in-process planner: what stands between a process and its system calls is a note") {
  const plan::Way way = way_of(plan_of(spec_of({{"open_file"}}), {}, "it is traced"));
  CHECK_FALSE(way.refused);
  CHECK(way.reason.ends_with("and as it runs now it is traced"));
}

TEST_CASE("in-process planner: a return probe is another engine's") {
  const plan::Way way = way_of(plan_of(spec_of({{"open_file"}}), {ExitMode::kReturnProbe}));
  CHECK(way.refused);
  CHECK(way.reason.find("return probe") != std::string::npos);
}

TEST_CASE("in-process planner: an argument that is read is read before it changes") {
  const auto keyed = [](std::vector<spec::Context> contexts) {
    auto spec = spec_of({{"keyed"}});  // endbr64; mov %rsi,%rax; xor %edi,%edi; …
    spec.components[0].operations[0].contexts = std::move(contexts);
    return way_of(plan_of(spec));
  };
  CHECK(keyed({{spec::ContextKind::kGive, spec::ContextType::kPointer, 1}}).moved_by == 7);
  auto spec = spec_of({{"open_file"}});
  plan::PlanOptions still;
  still.move_probes = false;
  CHECK(way_of(plan_of(spec, still)).moved_by == 4);
}

TEST_CASE("in-process planner: a refusal says why, and has no patches") {
  const plan::Way way = way_of(plan_of(spec_of({{"locked"}})));
  CHECK_FALSE(way.refused);  // what the kernel's probes cannot bear can be moved
  const plan::Way crooked = way_of(plan_of(spec_of({{"crooked"}})));
  CHECK(crooked.refused);
  CHECK(crooked.reason.starts_with("not all ways out of it are known: "));
  CHECK(crooked.patches.empty());
}

TEST_CASE("in-process costs: expected, not measured, the same for each way in") {
  const plan::Costs costs = inprocess::expected_costs();
  CHECK_FALSE(costs.measured());
  for (const char* site : {"jump", "call", "short"}) {
    const auto both = costs.at("in-process", site, ExitMode::kRetSites);
    const auto entry = costs.at("in-process", site, ExitMode::kEntryOnly);
    CHECK(both.total_ns() == doctest::Approx(27));
    CHECK(entry.total_ns() < both.total_ns());
    CHECK(both.inside_ns > 0);
  }
}

TEST_CASE("in-process costs: measured by code that this process patches for it") {
  const auto costs = inprocess::measured_costs();
  REQUIRE(costs.has_value());
  CHECK(costs->measured());
  for (const char* site : {"jump", "call", "short"}) {
    CAPTURE(site);
    const auto both = costs->at("in-process", site, ExitMode::kRetSites);
    const auto entry = costs->at("in-process", site, ExitMode::kEntryOnly);
    CHECK(both.inside_ns > 0);
    CHECK(both.outside_ns >= 0);
    CHECK(entry.total_ns() > 0);
    CHECK(both.left_inside_less_ns + both.left_outside_less_ns <= both.total_ns());
  }
}

TEST_CASE("tally: patches by kind, refusals by reason whatever their places") {
  inprocess::Tally tally;
  for (const auto* name : {"open_file", "forward"}) tally.add(way_of(plan_of(spec_of({{name}}))));
  plan::Way refused;
  refused.refused = true;
  refused.reason = "no jump fits at its exit +0x1c: no room";
  tally.add(refused);
  refused.reason = "no jump fits at its exit +0x2d: no room";
  tally.add(refused);
  CHECK(tally.functions == 4);
  CHECK(tally.patched == 2);
  CHECK(tally.refused() == 2);
  CHECK(tally.kinds.at("behind-first") == 1);
  CHECK(tally.kinds.at("first") == 1);
  CHECK(tally.joined_exits == 2);
  CHECK(tally.bytes == 10);
  CHECK(tally.instructions == 3);
  REQUIRE(tally.refusals.size() == 1);
  CHECK(tally.refusals.at("no jump fits at its exit: no room") == 2);
}

TEST_CASE("tally: reasons without places are sentences") {
  using inprocess::without_places;
  CHECK(without_places("the indirect jump at +0x1c is neither") == "the indirect jump is neither");
  CHECK(without_places("at 0x4711 the stack") == "at the stack");
  CHECK(without_places("it runs past its end at +0x9") == "it runs past its end");
  CHECK(without_places("plain") == "plain");
}

TEST_CASE("tally: each kind of patch is told in words, an unknown one as it is") {
  for (const std::string& kind : all_words<inprocess::PatchKind>())
    CHECK(inprocess::meaning(kind) != kind);
  CHECK(inprocess::meaning("by-magic") == "by-magic");
}
