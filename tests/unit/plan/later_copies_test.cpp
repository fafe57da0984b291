// SPDX-License-Identifier: Apache-2.0
#include "plan/later_copies.h"

#include <doctest/doctest.h>

using namespace compmond;
using plan::CopiedPages;
using plan::LaterCopies;

namespace {

constexpr uint64_t kPage = 4096;

// A plan of operations, each on a page of its own; the kernel has two more.
struct Scene {
  plan::Plan plan;
  plan::OperationStates states;
  std::vector<std::string> notes;
  CopiedPages::Tell tell = [this](std::string note) { notes.push_back(std::move(note)); };
  std::optional<CopiedPages> copied;

  explicit Scene(uint64_t pages = 4) {
    plan.images.resize(1);
    for (uint64_t page = 0; page < pages; ++page) {
      plan::Way way;
      way.engine = "probes";
      way.entry_offset = page * kPage;
      plan::PlannedOperation operation;
      operation.image = 0;
      operation.ways = {way};
      plan.operations.push_back(std::move(operation));
    }
    states = plan::OperationStates(plan);
    copied.emplace(plan, states, tell);
    copied->fit(std::vector<CopiedPages::Share>{});
  }
};

CopiedPages::Share forked(uint64_t processes, uint64_t room_pages) {
  return {.group = {.folder = "/cg/a", .name = "/a", .limit = 0, .room = room_pages * kPage},
          .processes = processes};
}

}  // namespace

TEST_CASE("later copies: forked processes that find half of the room change nothing") {
  Scene scene;
  REQUIRE(scene.copied->bytes_each() == 6 * kPage);
  LaterCopies later(*scene.copied, scene.tell);
  CHECK_FALSE(later.look(std::vector<CopiedPages::Share>{}));
  CHECK_FALSE(later.look({forked(2, 24)}));
  CHECK(scene.notes.empty());
}

TEST_CASE("later copies: beyond half of the room probes go while there is room for that") {
  Scene scene;
  LaterCopies later(*scene.copied, scene.tell);
  const auto excess = later.look({forked(1, 1000), forked(5, 59)});
  REQUIRE(excess);
  CHECK(excess->operations.size() == 4);  // a quarter is 14 pages, 2 for each
  CHECK(excess->reason.find("5 processes that the program forked") == 0);
  REQUIRE(scene.notes.size() == 1);
  CHECK(scene.notes[0].find("4 operations are not observed any more") != std::string::npos);
  CHECK(scene.copied->bytes_each() == 0);
  CHECK_FALSE(later.look({forked(500, 10)}));
}

TEST_CASE("later copies: those that come first in the plan stay") {
  Scene scene(40);
  LaterCopies later(*scene.copied, scene.tell);
  const auto excess = later.look({forked(1, 80)});
  REQUIRE(excess);
  CHECK(excess->operations.size() == 22);
  CHECK(excess->operations.front() == 18);
  CHECK(scene.copied->bytes_each() == 20 * kPage);
}

TEST_CASE("later copies: where it is too late to take them away it is said once what to do") {
  Scene scene;
  LaterCopies later(*scene.copied, scene.tell);
  CHECK_FALSE(later.look({forked(10, 59)}));
  CHECK_FALSE(later.look({forked(11, 59)}));
  REQUIRE(scene.notes.size() == 1);
  CHECK(scene.notes[0].find("before compmond ends") != std::string::npos);
  CHECK(scene.copied->bytes_each() == 6 * kPage);
}
