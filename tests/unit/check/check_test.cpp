// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "check/json.h"
#include "check/patching.h"
#include "check/table.h"

using namespace compmond;
using nlohmann::json;
using spec::ExitMode;

namespace {

const spec::Spec& the_spec() {
  static const spec::Spec out = [] {
    spec::Spec spec;
    spec.name = "shop";
    for (const char* path : {"Cart", "Cart/Price"}) spec.components.emplace_back().path = path;
    return spec;
  }();
  return out;
}

plan::Way probed(uint64_t moved_by, const std::string& reason = {}) {
  plan::Way out;
  out.engine = "uprobe";
  out.site = "push";
  out.moved_by = moved_by;
  out.reason = reason;
  return out;
}

plan::Way refused(const std::string& engine, const std::string& reason) {
  plan::Way out;
  out.engine = engine;
  out.refused = true;
  out.reason = reason;
  return out;
}

plan::Way patched() {
  plan::Way out;
  out.engine = "in-process";
  out.site = "jump";
  out.exit = ExitMode::kRetSites;
  out.moved_by = 4;
  out.entry_offset = 0x104;
  out.exits = {{0x120}, {0x140}, {0x160}};
  out.patches = {{"behind-first", 0x104, 5, 2, 7, 1},
                 {"return", 0x140, 5, 1, 1, 1},
                 {"short-exit", 0x160, 7, 1, 1, 1}};
  return out;
}

plan::PlannedOperation operation(int component, const std::string& name,
                                 std::vector<plan::Way> ways) {
  plan::PlannedOperation out;
  out.component = component;
  out.name = out.symbol = name;
  out.image = 0;
  out.ways = std::move(ways);
  return out;
}

plan::Plan the_plan() {
  plan::Plan out;
  out.images.push_back({0, "/opt/shop", true, {}, 0, 0});
  out.operations.push_back(operation(0, "add", {patched(), probed(4, "a note")}));
  out.operations.push_back(operation(
      0, "drop", {refused("in-process", "no jump fits at its exit +0x1c: no room"), probed(0)}));
  out.operations.push_back(
      operation(1, "price",
                {refused("in-process", "no jump fits at its exit +0x9: no room"),
                 refused("uprobe", "int3")}));
  return out;
}

plan::Costs costs(const std::string& engine, const std::string& site, ExitMode exit, double ns,
                  bool measured) {
  plan::Costs out(measured);
  out.set(engine, site, exit, {ns / 2, ns / 2});
  return out;
}

check::Patching patching(plan::Plan plan = the_plan(), bool measured = true) {
  return {the_spec(), plan, "in-process",
          costs("in-process", "jump", ExitMode::kRetSites, 27, false),
          costs("uprobe", "push", ExitMode::kReturnProbe, 2700, measured)};
}

bool has(const std::string& text, const std::string& part) {
  CAPTURE(text);
  CAPTURE(part);
  const bool found = text.find(part) != std::string::npos;
  CHECK(found);
  return found;
}

}  // namespace

TEST_CASE("check: a plan of probes as a table and as JSON") {
  plan::Plan plan = the_plan();
  for (auto& op : plan.operations) op.ways.erase(op.ways.begin());
  const check::Shown shown(the_spec(), plan,
                           costs("uprobe", "push", ExitMode::kReturnProbe, 2700, true));
  const std::string text = check::to_text(shown);
  has(text, "Cart  /opt/shop\n  add");
  has(text, "push at +4");
  has(text, "2.70 µs");
  has(text, "[1] a note\n[2] int3\n");
  has(text, "\n2 of 3 operations can be attached; cost per call as measured on this machine.\n");
  const json out = check::to_json(shown);
  CHECK(out["schema"] == "compmond.check/1");
  CHECK(out["cost_measured"] == true);
  CHECK(out["operations"][0]["site"] == "push");
  CHECK_FALSE(out["operations"][0].contains("patches"));
  CHECK_FALSE(out.contains("patching"));
}

TEST_CASE("check: of what would be patched each operation says how, or why not") {
  const std::string text = check::to_text(patching());
  has(text, "Cart  /opt/shop\n  add        behind-first +4");
  has(text, "1 return, 1 short-exit, 1 with the entry");
  has(text, "27 ns  uprobe 2.70 µs");
  has(text, "drop       refused");
  has(text, "Cart/Price  /opt/shop\n  price      refused");
  has(text, "uprobe refused");
  has(text, "\n[1] no jump fits at its exit: no room\n\n");
}

TEST_CASE("check: what all patches come to, and the refusals by reason") {
  const std::string text = check::to_text(patching());
  has(text,
      "1 of 3 operations can be patched: 1 entry and 3 exits; 17 bytes written over, "
      "4 instructions executed elsewhere.\n");
  has(text, "  1  behind-first           a jump behind the first instruction");
  has(text,
      "2 refused, of which uprobe can observe 1:\n       2  no jump fits at its exit: no room\n");
  has(text, "For what is refused: leave it to uprobe, or observe what calls it");
}

TEST_CASE("check: the expected cost is beside the others' and said to be no measurement") {
  const std::string text = check::to_text(patching());
  has(text, "A call is expected to cost 27 ns, as a prototype took");
  has(text,
      "nothing of that was measured here. By uprobe it costs 2.70 µs, measured on this machine.\n");
  has(text, "At 100,000 calls a second that is 0.27 % of a CPU beside 27.0 %.\n");
  has(text, "Nothing was patched: --engine in-process --allow-patching does it.");
  has(check::to_text(patching(the_plan(), false)), "it costs 2.70 µs, a typical value");
}

TEST_CASE("check: a cost that was measured is said to be, and where it holds") {
  const check::Patching shown(the_spec(), the_plan(), "in-process",
                              costs("in-process", "jump", ExitMode::kRetSites, 31, true),
                              costs("uprobe", "push", ExitMode::kReturnProbe, 2700, true));
  has(check::to_text(shown),
      "A call costs 31 ns, measured on this machine, where caches are warm (some twice as much");
  CHECK(check::to_json(shown)["cost_measured"] == true);
}

TEST_CASE("check: where nothing can be patched there is no cost to tell") {
  plan::Plan plan = the_plan();
  plan.operations.erase(plan.operations.begin());
  plan.operations.erase(plan.operations.begin());
  const check::Patching none = patching(plan);
  CHECK(none.own.states.observed() == 0);
  const std::string text = check::to_text(none);
  has(text, "\n0 of 1 operations can be patched.\n");
  has(text, "1 refused, of which uprobe can observe none:");
  has(text, "For what is refused: observe what calls it");
  CHECK(text.find("expected to cost") == std::string::npos);
}

TEST_CASE("check: what a hostile reader of files may say is shown without harm") {
  plan::Plan plan = the_plan();
  plan.operations[0].ways[0].patches.clear();
  plan.operations[1].ways[0].reason = "the jump leads into \x1b]0;title\a";
  const std::string text = check::to_text(patching(plan));
  has(text, "the jump leads into");
  CHECK(text.find('\x1b') == std::string::npos);
}

TEST_CASE("check: without an operation no engine is advised") {
  plan::Plan plan = the_plan();
  plan.operations.clear();
  const std::string text = check::to_text(patching(plan));
  has(text, "\n0 of 0 operations can be patched.\n");
  has(text, "Nothing was patched.\n");
}

TEST_CASE("check: the JSON of a plan of patches keeps the form, and adds to it") {
  const json out = check::to_json(patching());
  CHECK(out["schema"] == "compmond.check/1");
  CHECK(out["cost_measured"] == false);
  const json& add = out["operations"][0];
  CHECK(add["status"] == "attachable");
  CHECK(add["engine"] == "in-process");
  CHECK(add["exit_mode"] == "ret-sites");
  CHECK(add["site"] == "jump");
  CHECK(add["exit_offsets"] == json::array({0x120, 0x140, 0x160}));
  CHECK(add["cost_ns"] == json({{"inside", 13.5}, {"outside", 13.5}}));
  CHECK(add["patches"][0] == json({{"kind", "behind-first"},
                                   {"offset", 0x104},
                                   {"bytes", 5},
                                   {"instructions", 2},
                                   {"moved_bytes", 7},
                                   {"exits", 1}}));
  CHECK(add["otherwise"]["engine"] == "uprobe");
  CHECK(add["otherwise"]["cost_ns"]["inside"] == 1350);
  CHECK(out["operations"][1]["status"] == "refused");
  CHECK(out["operations"][1]["reason"] == "no jump fits at its exit +0x1c: no room");
  CHECK(out["operations"][1]["otherwise"]["status"] == "attachable");
  CHECK(out["operations"][2]["otherwise"]["reason"] == "int3");
  CHECK(out["patching"] ==
        json({{"operations", 3},
              {"patchable", 1},
              {"refused", 2},
              {"patches", {{"behind-first", 1}, {"return", 1}, {"short-exit", 1}}},
              {"refusals", {{"no jump fits at its exit: no room", 2}}},
              {"exits", 3},
              {"exits_with_entry", 1},
              {"bytes", 17},
              {"instructions", 4},
              {"otherwise_cost_measured", true}}));
}
