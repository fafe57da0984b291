// SPDX-License-Identifier: Apache-2.0
#include "walk/address_space.h"

#include <doctest/doctest.h>

#include <random>
#include <string>

#include "core/limits.h"

using namespace compmond;
using sampling::Mapping;
using unwind::AddressSpace;
using unwind::AddressSpaces;

namespace {

std::string text(const AddressSpace& space) {
  std::string out;
  for (const Mapping& m : space.mappings())
    out += std::to_string(m.start) + "-" + std::to_string(m.end) + "@" + std::to_string(m.offset) +
           ":" + std::to_string(m.image) + " ";
  return out;
}

}  // namespace

TEST_CASE("address space: a new mapping replaces what it lies on, whole or in part") {
  AddressSpace space;
  space.map({100, 200, 0, 3});
  space.map({300, 400, 1000, 4});
  CHECK(text(space) == "100-200@0:3 300-400@1000:4 ");
  space.map({150, 350, 7, 5});
  CHECK(text(space) == "100-150@0:3 150-350@7:5 350-400@1050:4 ");
  space.map({200, 210, 0, 6});  // in the middle of one
  CHECK(text(space) == "100-150@0:3 150-200@7:5 200-210@0:6 210-350@67:5 350-400@1050:4 ");
  space.map({0, 1000, 0, 8});
  CHECK(text(space) == "0-1000@0:8 ");
  space.map({50, 50, 0, 9});
  space.map({60, 50, 0, 9});
  CHECK(text(space) == "0-1000@0:8 ");
}

TEST_CASE("address space: an address is found in what holds it") {
  AddressSpace space;
  space.map({100, 200, 0, 3});
  space.map({200, 300, 0, 4});
  space.map({0xffffffffff600000, ~uint64_t(0), 0, 5});
  CHECK(space.find(99) == nullptr);
  CHECK(space.find(100)->image == 3);
  CHECK(space.find(199)->image == 3);
  CHECK(space.find(200)->image == 4);
  CHECK(space.find(300) == nullptr);
  CHECK(space.find(0xffffffffff600800)->image == 5);
  CHECK(space.find(~uint64_t(0)) == nullptr);
}

TEST_CASE("address space: whatever is mapped, each address has the one that came last") {
  std::mt19937 lots(1);
  AddressSpace space;
  std::vector<Mapping> last(256);  // by address; the end 0: none
  for (uint32_t i = 1; i < 2000; ++i) {
    const uint64_t start = lots() % 256;
    const Mapping mapping{start, start + lots() % 40, 5000 * i, i};
    space.map(mapping);
    for (uint64_t at = start; at < mapping.end && at < 256; ++at) last[at] = mapping;
    const uint64_t at = lots() % 256;
    const Mapping* found = space.find(at);
    REQUIRE(bool(found) == (last[at].end != 0));
    if (!found) continue;
    REQUIRE(found->image == last[at].image);
    REQUIRE(at - found->start + found->offset == at - last[at].start + last[at].offset);
  }
}

TEST_CASE("address spaces: a child has its parent's memory, and then its own") {
  AddressSpaces spaces;
  spaces.map(1, {100, 200, 0, 3});
  spaces.fork(1, 2);
  CHECK(spaces.find(2) == spaces.find(1));  // shared
  spaces.map(2, {150, 200, 0, 4});
  CHECK(spaces.find(1)->find(160)->image == 3);
  CHECK(spaces.find(2)->find(160)->image == 4);
  spaces.fork(1, 3);
  spaces.forget(1);
  CHECK(spaces.find(1) == nullptr);
  CHECK(spaces.find(3)->find(160)->image == 3);
  spaces.fork(9, 3);  // of a parent that nobody knows, nothing is learned
  CHECK(spaces.find(3)->find(160)->image == 3);
  spaces.forget(9);
  spaces.fork(3, 3);
  CHECK(spaces.find(3)->find(160)->image == 3);
}

TEST_CASE("address spaces: mappings beyond the limit of a process are not kept") {
  AddressSpaces spaces;
  for (uint64_t i = 0; i < limits::kMappings + 10; ++i)
    CHECK(spaces.map(1, {16 * i, 16 * i + 8, 0, 3}) == (i < limits::kMappings));
  CHECK(spaces.find(1)->mappings().size() == limits::kMappings);
}
