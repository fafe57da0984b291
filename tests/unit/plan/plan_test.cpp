// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.h"

#include <doctest/doctest.h>

#include "built_image.h"

using namespace compmond;
using plan::Candidate;
using plan::ExitMode;
using plan::make_plan;
using plan::Plan;
using plan::PlanOptions;

namespace {

const Candidate& app() {
  static const Candidate image = built_image("/opt/app/bin/app", ".s", R"(
.text
.macro fn name, code
.globl \name
.type \name, @function
.p2align 4
\name: \code
.size \name, .-\name
.endm
fn open_file, "endbr64; push %rbx; pop %rbx; ret"
fn close_file, "push %rbx; pop %rbx; ret"
fn send_one, "nop; ret"
fn keyed, "endbr64; mov %rsi,%rax; xor %edi,%edi; push %rbx; pop %rbx; ret"
fn send_two, "nop; ret"
fn locked, "lock incl (%rdi); ret"
fn either, "test %edi,%edi; je open_file; ret"
fn crooked, "sub $24,%rsp; jmp open_file"
fn forward, "endbr64; jmp open_file"
.globl alias_of_open
.type alias_of_open, @function
.set alias_of_open, open_file
.data
.globl table
.type table, @object
table: .quad 0
.size table, 8
.section .note.GNU-stack,"",@progbits
)",
                                             true);
  return image;
}

const Candidate& library() {
  static const Candidate image =
      built_image("/usr/lib/libhost.so.1", ".cpp",
                  "void other(); namespace ns { __attribute__((noinline)) int f(int x) { "
                  "other(); return x; } int f(char x) { other(); return x; } }");
  return image;
}

spec::Operation operation(const std::string& symbol, const std::string& pointer) {
  spec::Operation out;
  out.symbol = symbol;
  out.pointer = pointer;
  return out;
}

// One component "C0", "C1", … per list of patterns; operation j of component i is
// /components/i/in/j.
spec::Spec spec_of(const std::vector<std::vector<std::string>>& components,
                   const std::string& image = {}) {
  spec::Spec out;
  for (size_t i = 0; i < components.size(); ++i) {
    spec::Component component;
    component.name = component.path = "C" + std::to_string(i);
    component.pointer = "/components/" + std::to_string(i);
    component.image = image;
    for (size_t j = 0; j < components[i].size(); ++j)
      component.operations.push_back(
          operation(components[i][j], component.pointer + "/in/" + std::to_string(j)));
    out.components.push_back(component);
  }
  return out;
}

Plan plan_of(const spec::Spec& spec, const PlanOptions& options = {}) {
  auto plan = make_plan(spec, {app(), library()}, options);
  if (!plan) FAIL(plan.error().text());
  return *plan;
}

std::string error_of(const spec::Spec& spec, const PlanOptions& options = {}) {
  const auto plan = make_plan(spec, {app(), library()}, options);
  REQUIRE_FALSE(plan);
  CHECK(plan.error().code == Exit::kData);
  return plan.error().why;
}

}  // namespace

TEST_CASE("plan: a function of the main executable is planned at its cheapest place") {
  const Plan plan = plan_of(spec_of({{"open_file"}}));
  REQUIRE(plan.operations.size() == 1);
  REQUIRE(plan.images.size() == 1);
  CHECK(plan.attachable() == 1);
  const auto& open = plan.operations[0];
  CHECK(open.name == "open_file");
  CHECK(plan.images[size_t(open.image)].path == "/opt/app/bin/app");
  CHECK(open.moved_by == 4);
  CHECK(open.entry_site == code::SiteKind::kPush);
  CHECK(open.entry_offset == *app().image->file_offset(open.vaddr) + 4);
  CHECK(open.exit_mode == ExitMode::kReturnProbe);
  CHECK(open.exits.empty());
  CHECK(open.reason.empty());
  CHECK(open.pointer == "/components/0/in/0");
}

TEST_CASE("plan: a probe does not move behind what changes an argument that is to be read") {
  const auto keyed = [](std::vector<spec::Context> contexts) {
    auto spec = spec_of({{"keyed"}});
    spec.components[0].operations[0].contexts = std::move(contexts);
    return plan_of(spec).operations[0];
  };
  using Kind = spec::ContextKind;
  using Type = spec::ContextType;
  CHECK(keyed({}).moved_by == 9);
  const auto by_second = keyed({{Kind::kTraceId, Type::kString, 2}});
  CHECK(by_second.moved_by == 9);
  CHECK(by_second.contexts == std::vector<spec::Context>{{Kind::kTraceId, Type::kString, 2}});
  CHECK(keyed({{Kind::kTraceId, Type::kString, 2}, {Kind::kGive, Type::kPointer, 1}}).moved_by ==
        0);
}

TEST_CASE("plan: a function that ends in a jump to another one is known to make tail calls") {
  const Plan plan = plan_of(spec_of({{"forward", "open_file"}}));
  REQUIRE(plan.operations.size() == 2);
  CHECK(plan.operations[0].may_tail_call);
  CHECK_FALSE(plan.operations[1].may_tail_call);
}

TEST_CASE("plan: probes stay at the first instruction when moving is off") {
  const Plan plan = plan_of(spec_of({{"open_file"}}), {spec::ExitMode::kAuto, false, false});
  CHECK(plan.operations[0].moved_by == 0);
  CHECK(plan.operations[0].entry_site == code::SiteKind::kStepped);
  CHECK(plan.operations[0].entry_offset == *app().image->file_offset(plan.operations[0].vaddr));
}

TEST_CASE(
    "plan: a component's image selector picks the library, C++ gets ret-sites with file offsets") {
  const Plan plan = plan_of(spec_of({{"ns::f(int)"}}, "libhost.so*"));
  REQUIRE(plan.operations.size() == 1);
  const auto& f = plan.operations[0];
  CHECK(plan.images[size_t(f.image)].path == "/usr/lib/libhost.so.1");
  CHECK(f.name == "ns::f");
  CHECK(f.exit_mode == ExitMode::kRetSites);
  CHECK(f.reason == "ret-sites: libhost.so.1 can throw C++ exceptions");
  REQUIRE(f.exits.size() == 1);
  CHECK(f.exits[0].offset > f.entry_offset);
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

TEST_CASE("plan: the option decides where the spec says auto, and only there") {
  auto spec = spec_of({{"open_file", "close_file"}});
  spec.components[0].operations[1].exit = spec::ExitMode::kRetSites;
  const Plan plan = plan_of(spec, {spec::ExitMode::kEntryOnly, false, true});
  CHECK(plan.operations[0].exit_mode == ExitMode::kEntryOnly);
  CHECK(plan.operations[1].exit_mode == ExitMode::kRetSites);
  CHECK(plan.operations[1].exits.size() == 1);
}

TEST_CASE("plan: a function that cannot be observed is in the plan as refused, with the reason") {
  const Plan plan = plan_of(spec_of({{"locked", "open_file"}}));
  REQUIRE(plan.operations.size() == 2);
  CHECK(plan.operations[0].refused);
  CHECK(plan.operations[0].reason ==
        "the kernel takes no probe on an instruction with a lock prefix. Observe its callers or "
        "what it calls instead");
  CHECK(plan.attachable() == 1);
}

TEST_CASE("plan: ret-sites without known exits is refused, the same function can be counted") {
  const Plan refused = plan_of(spec_of({{"crooked"}}), {spec::ExitMode::kRetSites, false, true});
  CHECK(refused.operations[0].refused);
  CHECK(refused.operations[0].reason ==
        "its exits are not all known: at +0x4 the stack is not as at entry (-24 bytes). Set "
        "\"exit\": \"entry-only\" to count it");
  CHECK(refused.operations[0].exits.empty());
  CHECK_FALSE(plan_of(spec_of({{"crooked"}}), {spec::ExitMode::kEntryOnly, false, true})
                  .operations[0]
                  .refused);
}

TEST_CASE("plan: a conditional tail jump is an exit with its condition") {
  const auto either =
      plan_of(spec_of({{"either"}}), {spec::ExitMode::kRetSites, false, true}).operations[0];
  REQUIRE_FALSE(either.refused);
  REQUIRE(either.exits.size() == 2);
  CHECK(either.exits[0].condition == 4);  // je
  CHECK(either.exits[1].condition == code::ExitSite::kAlways);
  CHECK(either.may_tail_call);
}

TEST_CASE("plan: entry and exit of a forwarding function never share an instruction") {
  const auto sites =
      plan_of(spec_of({{"forward"}}), {spec::ExitMode::kRetSites, false, true}).operations[0];
  REQUIRE(sites.exits.size() == 1);
  CHECK(sites.moved_by == 0);
  CHECK(sites.exits[0].offset == sites.entry_offset + 4);
  CHECK(plan_of(spec_of({{"forward"}})).operations[0].moved_by == 4);
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
  const auto refused = make_plan(spec, images, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().why ==
        "the patterns match more than 2000 functions; give --many to observe up to 100000");
  CHECK(make_plan(spec, images, {spec::ExitMode::kAuto, true, true})->operations.size() == 2001);
}
