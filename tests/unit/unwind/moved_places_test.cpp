// SPDX-License-Identifier: Apache-2.0
#include "unwind/moved_places.h"

#include <doctest/doctest.h>

#include <cstring>
#include <utility>

using namespace compmond;

namespace {

constexpr size_t kRsp = 7, kRip = CM_REGISTERS - 1;

// A thread of process 5 whose stack holds these words.
struct Scene {
  Scene(uint64_t rip, std::vector<uint64_t> words) : stack(std::move(words)) {
    codes.set(5, {{0x1000, 0x10, 0, 16, true},
                  {0x2000, 0x10, 0x400100, 8, false},
                  {0x2010, 0x10, 0x400104, 0, false}});
    head.pid = 5;
    head.registers[kRip] = rip;
    head.registers[kRsp] = 0x7000;
    head.stack_bytes = uint32_t(stack.size() * 8);
    sample.head = &head;
    sample.stack = std::as_bytes(std::span(stack));
  }
  bool move() { return unwind::move_back(sample, head, codes); }
  uint64_t top() const {
    uint64_t out = 0;
    std::memcpy(&out, sample.stack.data(), sizeof out);
    return out;
  }
  std::vector<uint64_t> stack;
  cm_sample head{};
  sampling::RawSample sample;
  sampling::MovedCodes codes;
};

}  // namespace

TEST_CASE("moved places: a thread in code of ours is where that stands for") {
  Scene scene(0x2008, {1, 2, 3});
  REQUIRE(scene.move());
  CHECK(scene.head.registers[kRip] == 0x400100);
  CHECK(scene.head.registers[kRsp] == 0x7008);
  CHECK(scene.head.stack_bytes == 16);
  CHECK(scene.top() == 2);
  Scene moved(0x2010, {1, 2, 3});
  REQUIRE(moved.move());
  CHECK(moved.head.registers[kRip] == 0x400104);
  CHECK(moved.head.registers[kRsp] == 0x7000);
}

TEST_CASE("moved places: of code that ours called it goes on where that returns to") {
  Scene scene(0x1004, {1, 2, 0x2004, 4, 5});
  REQUIRE(scene.move());
  CHECK(scene.head.registers[kRip] == 0x400100);
  CHECK(scene.head.registers[kRsp] == 0x7020);
  CHECK(scene.top() == 5);
}

TEST_CASE("moved places: what is not at hand, or not ours, is left as it is") {
  const std::vector<std::pair<uint64_t, std::vector<uint64_t>>> all = {{0x3000, {1, 2}},
                                                                       {0x2008, {}},
                                                                       {0x1004, {1, 2}},
                                                                       {0x1004, {1, 2, 0x5000, 4}},
                                                                       {0x1004, {1, 2, 0x1004, 4}}};
  for (const auto& [rip, words] : all) {
    Scene scene(rip, words);
    CHECK_FALSE(scene.move());
    CHECK(scene.head.registers[kRip] == rip);
    CHECK(scene.head.registers[kRsp] == 0x7000);
  }
  Scene other(0x2008, {1, 2});
  other.head.pid = 6;
  CHECK_FALSE(other.move());
}
