// SPDX-License-Identifier: Apache-2.0
#include "trampolines/portable.h"

#include <random>

#include "patched.h"

using namespace compmond;
using namespace compmond::inprocess;

namespace {

// An entry and exits of many kinds: operands relative to %rip, jumps with and without a condition.
const std::string kCode =
    own("f",
        "mov data(%rip),%rax; cmpl $77,data(%rip); je other; add $0x1000,%rax; jne 1f; "
        "add $1,%rax; 1: shl $1,%rax; ret; .skip 8,0x90; jmp other; .skip 8,0x90") +
    own("g", "mov data(%rip),%rax; mov %rdi,-8(%rsp); test %esi,%esi; je other; jmp other") +
    own("h", "sub $8,%rsp; call other; add $8,%rsp; ret; .skip 8,0x90") +
    own("other", "lea 7(%rdi,%rsi),%rax; ret; .skip 8,0x90; data: .quad 5");

constexpr Trampolines::Place kPlace{
    .bias = 0x7f0000000000, .at = 0x7f0000800000, .recorder = 0x7f0010000000, .first_site = 71};

struct Scene {
  Assembled code{kCode};
  std::unique_ptr<code::Memory> memory = code::memory_of(code.image());
  Patcher patcher{code.image()};
  FunctionPatches plan(const std::string& name) {
    const auto out = patcher.plan(code.symbol(name));
    if (out.refused()) FAIL(name, ": ", out.refusal);
    return out;
  }
  PortableCode make(const std::string& name) {
    const auto out = portable(*memory, plan(name));
    REQUIRE(out);
    return *out;
  }
};

}  // namespace

TEST_CASE("portable: put to its place it is what is made there") {
  for (const std::string name : {"f", "g", "h"}) {
    CAPTURE(name);
    Scene scene;
    const FunctionPatches patches = scene.plan(name);
    Trampolines there(*scene.memory, kPlace);
    REQUIRE(there.add(0, patches));
    const auto made = portable(*scene.memory, patches);
    REQUIRE(made);
    const auto copied = unpacked(packed(*made));
    REQUIRE(copied);
    const auto out = placed(*copied, kPlace);
    REQUIRE(out);
    CHECK(out->code == there.code());
    CHECK(copied->sites.size() == there.sites().size());
    REQUIRE(out->changes.size() == there.writes().size());
    for (size_t i = 0; i < out->changes.size(); ++i) {
      const PlacedCode::Change& change = out->changes[i];
      const Trampolines::Write& write = there.writes()[i];
      CHECK((change.at == write.at && change.size == write.size && change.after == write.bytes));
      const auto before = scene.memory->read(change.at - kPlace.bias, change.size);
      CHECK(std::equal(before.begin(), before.end(), change.before.begin()));
    }
    REQUIRE(out->twins.size() == there.twins().size());
    for (size_t i = 0; i < out->twins.size(); ++i) {
      CHECK(out->twins[i].original == there.twins()[i].original);
      CHECK(out->twins[i].moved == there.twins()[i].moved);
    }
  }
}

TEST_CASE("portable: out of reach it has no place") {
  Scene scene;
  const PortableCode code = scene.make("f");
  Trampolines::Place far = kPlace;
  far.at = kPlace.bias + (uint64_t(1) << 32);
  CHECK_FALSE(placed(code, far));
  far = kPlace;
  far.recorder = kPlace.at + (uint64_t(1) << 33);
  CHECK_FALSE(placed(code, far));
}

TEST_CASE("portable: what is none is not believed, and what is has all within itself") {
  Scene scene;
  const std::string good = packed(scene.make("f"));
  CHECK_FALSE(unpacked(""));
  CHECK_FALSE(unpacked(good + "x"));
  CHECK_FALSE(unpacked(good.substr(0, good.size() - 1)));
  std::mt19937 random(5);
  size_t sound = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = good;
    for (int k = 0; k < 3; ++k)
      bytes[std::uniform_int_distribution<size_t>(0, bytes.size() - 1)(random)] =
          char(std::uniform_int_distribution<int>(0, 255)(random));
    if (const auto code = unpacked(bytes)) {
      ++sound;
      (void)placed(*code, kPlace);
    }
  }
  CHECK(sound > 0);
}
