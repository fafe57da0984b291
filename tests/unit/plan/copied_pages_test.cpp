// SPDX-License-Identifier: Apache-2.0
#include "plan/copied_pages.h"

#include <doctest/doctest.h>

using namespace compmond;
using plan::CopiedPages;

namespace {

constexpr uint64_t kPage = 4096;

plan::Way probed(uint64_t entry, std::vector<uint64_t> exits = {}) {
  plan::Way way;
  way.engine = "probes";
  way.entry_offset = entry;
  for (const uint64_t offset : exits) way.exits.push_back({.offset = offset});
  return way;
}

plan::Way sampled() {
  plan::Way way;
  way.engine = "samples";
  way.code = {{0, 1}};
  return way;
}

plan::PlannedOperation operation(std::vector<plan::Way> ways) {
  plan::PlannedOperation out;
  out.image = 0;
  out.ways = std::move(ways);
  return out;
}

std::vector<CopiedPages::Share> shares(uint64_t pages, uint64_t processes) {
  return {
      {.group = {.folder = "/cg/a", .name = "/a", .room = pages * kPage}, .processes = processes}};
}

// A plan of four pages: the first two operations share one, the third has its exit on another.
struct Scene {
  plan::Plan plan;
  Scene() {
    plan.images.resize(1);
    plan.operations = {operation({probed(0), sampled()}), operation({probed(16), sampled()}),
                       operation({probed(5 * kPage, {6 * kPage}), sampled()}),
                       operation({probed(9 * kPage)})};
  }
  std::vector<bool> probed_after(std::vector<CopiedPages::Share> room) {
    states = plan::OperationStates(plan);
    notes.clear();
    CopiedPages(plan, states, [this](std::string note) {
      notes.push_back(std::move(note));
    }).fit(room);
    std::vector<bool> out;
    for (size_t i = 0; i < states.size(); ++i)
      out.push_back(!states[i].refused() && !plan::way_of(plan, states, i).sampled());
    return out;
  }
  plan::OperationStates states;
  std::vector<std::string> notes;
};

}  // namespace

TEST_CASE("copied pages: without a limit, or with much room, nothing changes and nothing is said") {
  Scene scene;
  const std::vector<bool> all{true, true, true, true};
  CHECK(scene.probed_after({}) == all);
  CHECK(scene.probed_after(shares(1000, 1)) == all);
  CHECK(scene.notes.empty());
}

TEST_CASE("copied pages: what takes more than a tenth of the room is told") {
  Scene scene;
  CHECK(scene.probed_after(shares(59, 1)) == std::vector<bool>{true, true, true, true});
  REQUIRE(scene.notes.size() == 1);
  CHECK(scene.notes[0].find("memory group '/a'") != std::string::npos);
}

TEST_CASE("copied pages: what takes more than half of it goes without probes, or is refused") {
  Scene scene;
  CHECK(scene.probed_after(shares(12, 1)) == std::vector<bool>{true, true, true, true});
  CHECK(scene.probed_after(shares(11, 1)) == std::vector<bool>{true, true, true, false});
  CHECK(scene.states[3].refused());
  CHECK(scene.states[3].reason.find("no room") != std::string::npos);
  CHECK(scene.probed_after(shares(8, 1)) == std::vector<bool>{true, true, false, true});
  CHECK_FALSE(scene.states[2].refused());
  CHECK(scene.probed_after(shares(2, 1)) == std::vector<bool>(4));
}

TEST_CASE("copied pages: each process gets its own, and the narrowest group counts") {
  Scene scene;
  CHECK(scene.probed_after(shares(12, 2)) == std::vector<bool>{true, true, false, false});
  auto groups = shares(1000, 1);
  groups.push_back(shares(11, 1)[0]);
  CHECK(scene.probed_after(groups) == std::vector<bool>{true, true, true, false});
}

TEST_CASE("copied pages: the machine has an end as well") {
  Scene scene;
  auto groups = shares(1000, 1);
  groups.push_back({.group = {.folder = "", .name = "", .room = 24 * kPage}, .processes = 3});
  CHECK(scene.probed_after(groups) == std::vector<bool>{true, true, false, true});
  CHECK(scene.states[2].reason.find("the machine has") != std::string::npos);
}

TEST_CASE("copied pages: what went comes back only where there is room for it by then") {
  Scene scene;
  scene.probed_after(shares(1000, 1));
  CopiedPages pages(scene.plan, scene.states,
                    [&](std::string note) { scene.notes.push_back(std::move(note)); });
  const std::vector<size_t> both{0, 2};  // three pages
  CHECK(pages.fit_again(both, std::vector<CopiedPages::Share>()));
  CHECK(pages.fit_again(both, shares(6, 1)));
  CHECK(scene.notes.empty());
  CHECK_FALSE(pages.fit_again(both, shares(5, 1)));
  CHECK_FALSE(pages.fit_again(both, shares(6, 2)));
  CHECK(scene.notes.size() == 1);
}

TEST_CASE("copied pages: probes that go elsewhere have room for what they copy in addition") {
  Scene scene;
  scene.probed_after(shares(1000, 1));
  CopiedPages pages(scene.plan, scene.states,
                    [&](std::string note) { scene.notes.push_back(std::move(note)); });
  const std::vector<size_t> both{0, 2};  // three pages
  CHECK(pages.lacking_for(both, shares(5, 1)).find("no room: ") != std::string::npos);
  CHECK(pages.lacking_for(both, shares(6, 2)) != "");
  CHECK(pages.lacking_for(both, shares(6, 1)) == "");
  CHECK(pages.lacking_for(both, shares(0, 1)) == "");  // they are there by now
}

TEST_CASE("copied pages: strangers get those of the program, not those of its libraries") {
  Scene scene;  // all in a library
  auto groups = shares(12, 1);
  groups[0].strangers = 100;
  const std::vector<bool> all{true, true, true, true};
  CHECK(scene.probed_after(groups) == all);
  scene.plan.images[0].main = true;
  CHECK(scene.probed_after(groups) == std::vector<bool>(4));
  groups[0].strangers = 1;
  CHECK(scene.probed_after(groups) == scene.probed_after(shares(12, 2)));
}
