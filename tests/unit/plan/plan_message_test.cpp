// SPDX-License-Identifier: Apache-2.0
#include "plan/plan_message.h"

#include <doctest/doctest.h>

#include "core/limits.h"

using namespace compmond;
using plan::Plan;
using plan::PlanContext;
using plan::PlannedOperation;

namespace {

spec::Spec two_components() {
  spec::Spec spec;
  spec.components.resize(2);
  return spec;
}
const spec::Spec kSpec = two_components();

PlanContext context() {
  return {kSpec, {{"/bin/app", true, 5000}, {"/lib/x.so", false, 900}}, {"one", "other"}, false};
}

PlannedOperation operation() {
  PlannedOperation op;
  op.component = 1;
  op.name = "open";
  op.symbol = "_Z4openv";
  op.demangled = "open()";
  op.image = 0;
  op.interface = spec::Interface::kOut;
  op.slo_ms = 1.5;
  op.landmark = true;
  op.contexts = {{spec::ContextKind::kTake, spec::ContextType::kPointer, 6}};
  op.pointer = "/components/0/in/0";
  op.vaddr = 0x401000;
  op.note = "inlined";
  plan::Way& way = op.ways.emplace_back();
  way.engine = "one";
  way.reason = "ret-sites: it throws";
  way.exit = spec::ExitMode::kRetSites;
  way.may_tail_call = false;
  way.needs_calls = true;
  way.entry_offset = 100;
  way.moved_by = 4;
  way.site = "push";
  way.exits = {{120}, {899, 15}};
  way.patches = {{"behind-first", 104, 5, 2, 7}, {"return", 895, 5, 1, 1, 1}};
  plan::Way& other = op.ways.emplace_back();
  other.engine = "other";
  other.refused = true;
  other.reason = "too short";
  other.code = {{0x401000, 64}, {0x402000, 16}};
  return op;
}

Plan small_plan() {
  Plan out;
  out.images.push_back({1, "/lib/x.so", false, {}, 0, 0});
  out.operations = {operation()};
  return out;
}

// What becomes of a plan whose one operation was changed like that.
bool accepted(const std::function<void(PlannedOperation&)>& change) {
  Plan changed = small_plan();
  change(changed.operations[0]);
  return plan::plan_from_message(to_message(changed), context()).has_value();
}

}  // namespace

TEST_CASE("plan message: a plan arrives as it was sent") {
  const auto out = plan::plan_from_message(to_message(small_plan()), context());
  REQUIRE(out);
  REQUIRE(out->images.size() == 1);
  CHECK(out->images[0].path == "/lib/x.so");
  CHECK(out->images[0].candidate == 1);
  REQUIRE(out->operations.size() == 1);
  const PlannedOperation &got = out->operations[0], sent = operation();
  CHECK(got.component == sent.component);
  CHECK(got.name == sent.name);
  CHECK(got.symbol == sent.symbol);
  CHECK(got.demangled == sent.demangled);
  CHECK(got.interface == sent.interface);
  CHECK(got.slo_ms == sent.slo_ms);
  CHECK(got.landmark == sent.landmark);
  CHECK(got.contexts == sent.contexts);
  CHECK(got.pointer == sent.pointer);
  CHECK(got.vaddr == sent.vaddr);
  CHECK(got.note == sent.note);
  REQUIRE(got.ways.size() == 2);
  const plan::Way &way = got.ways[0], &wanted = sent.ways[0];
  CHECK(way.engine == "one");
  CHECK_FALSE(way.refused);
  CHECK(way.reason == wanted.reason);
  CHECK(way.exit == wanted.exit);
  CHECK(way.may_tail_call == wanted.may_tail_call);
  CHECK(way.needs_calls == wanted.needs_calls);
  CHECK(way.entry_offset == wanted.entry_offset);
  CHECK(way.moved_by == wanted.moved_by);
  CHECK(way.site == wanted.site);
  REQUIRE(way.exits.size() == 2);
  CHECK(way.exits[0].offset == 120);
  CHECK(way.exits[0].condition == code::ExitSite::kAlways);
  CHECK(way.exits[1].offset == 899);
  CHECK(way.exits[1].condition == 15);
  REQUIRE(way.patches.size() == 2);
  CHECK(way.patches[0].kind == "behind-first");
  CHECK(way.patches[1].offset == 895);
  CHECK(way.patches[1].bytes == 5);
  CHECK(way.patches[0].instructions == 2);
  CHECK(way.patches[0].moved_bytes == 7);
  CHECK(way.patches[1].exits == 1);
  CHECK(got.ways[1].engine == "other");
  CHECK(got.ways[1].refused);
  CHECK(got.ways[1].reason == "too short");
  CHECK_FALSE(way.sampled());
  REQUIRE(got.ways[1].code.size() == 2);
  CHECK(got.ways[1].code[1].vaddr == 0x402000);
  CHECK(got.ways[1].code[1].size == 16);
}

TEST_CASE("plan message: indices, offsets, enumerations and texts out of range are refused") {
  CHECK(accepted([](auto&) {}));
  CHECK_FALSE(accepted([](auto& op) { op.component = 2; }));
  CHECK_FALSE(accepted([](auto& op) { op.component = -1; }));
  CHECK_FALSE(accepted([](auto& op) { op.image = 1; }));
  CHECK_FALSE(accepted([](auto& op) { op.image = -1; }));
  CHECK_FALSE(accepted([](auto& op) { op.interface = spec::Interface(2); }));
  CHECK_FALSE(accepted([](auto& op) { op.ways[0].exit = spec::ExitMode(4); }));
  CHECK_FALSE(accepted([](auto& op) { op.ways[0].exit = spec::ExitMode::kAuto; }));
  CHECK_FALSE(accepted([](auto& op) { op.ways[0].site = "\x1b[31m"; }));
  CHECK_FALSE(accepted([](auto& op) { op.ways[0].site.assign(33, 'x'); }));
  const auto with_patch = [](auto change) {
    return accepted([&](auto& op) { change(op.ways[0].patches[0]); });
  };
  CHECK_FALSE(with_patch([](auto& patch) { patch.kind = "a jump"; }));
  CHECK_FALSE(with_patch([](auto& patch) { patch.offset = 900; }));
  CHECK_FALSE(with_patch([](auto& patch) { patch.bytes = UINT32_MAX; }));
  CHECK_FALSE(with_patch([](auto& patch) { patch.moved_bytes = UINT32_MAX; }));
  CHECK_FALSE(with_patch([](auto& patch) { patch.instructions = patch.moved_bytes + 1; }));
  CHECK_FALSE(with_patch([](auto& patch) { patch.exits = patch.instructions + 1; }));
  CHECK_FALSE(accepted([](auto& op) { op.ways[0].engine = "another"; }));
  CHECK(accepted([](auto& op) { op.ways.pop_back(); }));  // another engine may be asked for
  CHECK(accepted([](auto& op) { std::swap(op.ways[0], op.ways[1]); }));
  CHECK_FALSE(accepted([](auto& op) { op.ways.push_back(op.ways[0]); }));
  const auto twice = [](bool trusts, size_t more) {
    return [=](auto& op) {
      op.ways[0].trusts_images = trusts;
      op.ways.insert(op.ways.begin() + 1, more, op.ways[0]);
    };
  };
  CHECK(accepted(twice(true, 1)));
  CHECK_FALSE(accepted(twice(false, 1)));
  CHECK_FALSE(accepted(twice(true, 2)));
  CHECK_FALSE(accepted([](auto& op) { op.ways.clear(); }));
  CHECK_FALSE(accepted([](auto& op) { op.contexts[0].kind = spec::ContextKind(4); }));
  CHECK_FALSE(accepted([](auto& op) { op.contexts[0].type = spec::ContextType(4); }));
  CHECK_FALSE(accepted([](auto& op) { op.contexts[0].argument = 0; }));
  CHECK_FALSE(accepted([](auto& op) { op.contexts[0].argument = 7; }));
  CHECK_FALSE(accepted([](auto& op) { op.contexts.resize(4, op.contexts[0]); }));
  CHECK_FALSE(accepted([](auto& op) { op.ways[0].entry_offset = 900; }));
  CHECK_FALSE(accepted([](auto& op) { op.ways[0].exits.push_back({900}); }));
  CHECK_FALSE(accepted([](auto& op) { op.ways[0].exits[0].condition = 16; }));
  CHECK_FALSE(accepted([](auto& op) { op.ways[0].exits[0].condition = -2; }));
  CHECK_FALSE(accepted([](auto& op) { op.ways[0].moved_by = limits::kFunctionBytes + 1; }));
  CHECK_FALSE(accepted([](auto& op) { op.ways[1].code[0].size = 0; }));
  CHECK_FALSE(accepted([](auto& op) { op.ways[1].code[0].size = 0x1001; }));
  CHECK_FALSE(accepted([](auto& op) { op.ways[1].code[1].size = UINT64_MAX; }));
  CHECK_FALSE(accepted([](auto& op) { std::swap(op.ways[1].code[0], op.ways[1].code[1]); }));
  CHECK_FALSE(accepted([](auto& op) { op.name.assign(300'000, 'x'); }));
}

TEST_CASE("plan message: transfers of control arrive as they were sent, and sane") {
  const auto accepted = [](auto&& change) {
    Plan out = small_plan();
    plan::PlannedTransfer& transfer = out.transfers.emplace_back();
    transfer = {Transfer::kCatch, 0, "__cxa_begin_catch", operation().ways};
    transfer.ways[0].exit = spec::ExitMode::kEntryOnly;
    transfer.ways[0].exits.clear();
    change(transfer);
    return plan::plan_from_message(to_message(out), context());
  };
  const auto whole = accepted([](auto&) {});
  REQUIRE(whole);
  REQUIRE(whole->transfers.size() == 1);
  CHECK(whole->transfers[0].kind == Transfer::kCatch);
  CHECK(whole->transfers[0].symbol == "__cxa_begin_catch");
  CHECK(whole->transfers[0].ways[0].entry_offset == 100);
  CHECK_FALSE(accepted([](auto& t) { t.kind = Transfer(kTransfers); }));
  CHECK_FALSE(accepted([](auto& t) { t.image = 1; }));
  CHECK_FALSE(accepted([](auto& t) { t.image = -1; }));
  CHECK_FALSE(accepted([](auto& t) { t.ways.clear(); }));
  CHECK_FALSE(accepted([](auto& t) { t.ways[0].exit = spec::ExitMode::kRetSites; }));
  CHECK_FALSE(accepted([](auto& t) { t.ways[0].entry_offset = 900; }));
  CHECK_FALSE(accepted([](auto& t) { t.symbol.assign(300'000, 'x'); }));
}

TEST_CASE("plan message: a file that is none, and too many operations, are refused") {
  Plan out = small_plan();
  out.images[0].candidate = 2;
  CHECK_FALSE(plan::plan_from_message(to_message(out), context()));
  out = small_plan();
  out.operations.resize(limits::kOperations + 1, operation());
  CHECK_FALSE(plan::plan_from_message(to_message(out), context()));
  PlanContext many = context();
  many.many = true;
  CHECK(plan::plan_from_message(to_message(out), many));
}

TEST_CASE("plan message: a message cut anywhere, or longer, or of random bytes is refused") {
  const std::string whole = to_message(small_plan());
  for (size_t size = 0; size < whole.size(); ++size)
    CHECK_FALSE(plan::plan_from_message(whole.substr(0, size), context()));
  CHECK_FALSE(plan::plan_from_message(whole + "x", context()));
  CHECK_FALSE(plan::plan_from_message(std::string(1000, '\xff'), context()));
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = char(changed[i] ^ 0xff);
    (void)plan::plan_from_message(changed, context()).has_value();  // does not crash
  }
}
