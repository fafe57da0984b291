// SPDX-License-Identifier: Apache-2.0
#include "walk/probe_code.h"

#include <doctest/doctest.h>

#include "scene.h"

// Stacks of programs that carry probes of the kernel.
using namespace compmond;
using namespace compmond::unwind;
using namespace compmond::unwind::test;
using sampling::Ended;

namespace {

constexpr uint64_t kProbed = 0x7fffffffe000, kNopPage = 0x400000;

// f at 0x100 was called by g at 0x200, g by the outermost; both return to a probe.
struct Probed : Scene {
  Probed() {
    code.rows[0x100] = plain(16);
    code.rows[0x200] = plain(8);
    at(0x100);
    words = {1, kProbed, kProbed};
    returns = {{kStack + 8, kBase + 0x201}, {kStack + 16, kOuter}};
    space.map({kProbed, kProbed + 4096, 0, sampling::kNoImage});
    space.map({kNopPage, kNopPage + 4096, 0, sampling::kNoImage});
  }
  void in(uint64_t page, uint64_t offset, uint64_t sp) {
    head.registers[kPc] = page + offset;
    head.registers[kRsp] = sp;
  }
};

}  // namespace

TEST_CASE("probe code: return addresses that probes took come from the list, by their slots") {
  Probed scene;
  const Walked walked = scene.walk();
  CHECK(walked.ended == Ended::kComplete);
  CHECK(vaddrs(walked) == Vaddrs{0x100, 0x200, 0x8000});
  CHECK(walked.stack_top == kStack + 24);
}

TEST_CASE("probe code: of tail calls all have the slot of the first, and its address") {
  Probed scene;
  scene.returns.insert(scene.returns.begin(), 2, scene.returns[0]);
  CHECK(vaddrs(scene.walk()) == Vaddrs{0x100, 0x200, 0x8000});
}

TEST_CASE("probe code: what a longjmp left in the list takes part in nothing") {
  Probed scene;
  scene.returns.insert(scene.returns.begin(), {kStack - 64, kBase + 0x301});
  scene.returns.insert(scene.returns.begin(), {kStack, kBase + 0x301});
  CHECK(vaddrs(scene.walk()) == Vaddrs{0x100, 0x200, 0x8000});
}

TEST_CASE("probe code: without a slot of its own in the list a taken address breaks a stack") {
  Probed scene;
  const std::vector<cm_return> whole = scene.returns;
  for (const std::vector<cm_return>& returns : std::vector<std::vector<cm_return>>{
           {}, {whole[0]}, {whole[1]}, {{whole[0].slot + 1, 0x201}, whole[1]}}) {
    scene.returns = returns;
    const Walked walked = scene.walk();
    CHECK(walked.ended == Ended::kBroken);
    CHECK(walked.stack_top == 0);
  }
}

TEST_CASE("probe code: an address that no probe took is as the stack has it") {
  Probed scene;
  scene.words[1] = kBase + 0x201;
  scene.returns[0].address = kBase + 0x301;
  CHECK(vaddrs(scene.walk()) == Vaddrs{0x100, 0x200, 0x8000});
}

TEST_CASE("probe code: a list that leads to itself ends") {
  Probed scene;
  for (cm_return& one : scene.returns) one.address = kProbed;
  CHECK(scene.walk().ended == Ended::kBroken);
  scene.in(kProbed, 0, kStack + 16);
  CHECK(scene.walk().ended == Ended::kBroken);
}

TEST_CASE("probe code: callers by frame pointers have addresses taken, too") {
  Probed scene;
  scene.at(0x9100);
  scene.head.registers[kRbp] = kStack;
  scene.words[0] = kStack + 64;
  CHECK(vaddrs(scene.walk()) == Vaddrs{0x9100, 0x200, 0x8000});
}

TEST_CASE("probe code: on its way through a probed return a thread is in the caller") {
  Probed scene;
  struct Step {
    uint64_t offset;
    size_t words;  // from the stack pointer to behind the slot
  };
  const auto check = [&scene](const Step& step, uint64_t in_slot) {
    scene.in(kProbed, step.offset, kStack + 16 - 8 * step.words);
    scene.words.assign(step.words, 7);
    if (step.words > 0) scene.words.back() = in_slot;
    scene.words.push_back(kProbed);
    const Walked walked = scene.walk();
    CHECK(walked.ended == Ended::kComplete);
    CHECK(vaddrs(walked) == Vaddrs{0x201, 0x8000});
  };
  for (const Step& step :
       {Step{0, 0}, Step{1, 1}, Step{2, 2}, Step{4, 3}, Step{11, 3}, Step{13, 3}, Step{13, 0}})
    check(step, 7);
  scene.returns.erase(scene.returns.begin());  // the system call is done
  for (const Step& step : {Step{13, 3}, Step{15, 2}, Step{16, 1}}) check(step, kBase + 0x201);
}

TEST_CASE("probe code: elsewhere in the kernel's page a stack is broken") {
  Probed scene;
  for (const uint64_t offset : {3, 12, 17, 128, 4095}) {
    scene.in(kProbed, offset, kStack);
    CHECK(scene.walk().ended == Ended::kBroken);
    CHECK(scene.walk().frames.size() == 1);
  }
}

TEST_CASE("probe code: a probe in place of a nop is passed where the file has that nop") {
  Probed scene;
  scene.code.bytes[0x100] = {0x0f, 0x1f, 0x44, 0, 0};
  scene.code.rows[0x100] = plain(8);
  struct Step {
    uint64_t offset;
    size_t words;
  };
  for (const Step& step : {Step{0, 0}, Step{1, 1}, Step{3, 2}, Step{4, 3}, Step{11, 3}, Step{13, 3},
                           Step{14, 2}, Step{16, 1}, Step{17, 0}}) {
    scene.in(kNopPage, step.offset, kStack);
    scene.words.assign(step.words, 7);
    scene.words.insert(scene.words.end(), {kBase + 0x105, kProbed, kOuter});
    scene.code.rows[0x200] = plain(8);
    scene.returns = {{kStack + 8 * step.words + 8, kBase + 0x201}};
    const Walked walked = scene.walk();
    CHECK(walked.ended == Ended::kComplete);
    CHECK(vaddrs(walked) == Vaddrs{0x105, 0x200, 0x8000});
  }
  scene.code.bytes[0x100] = {0xe8, 0, 0, 0, 0};  // whoever was called there, it was no probe
  CHECK(scene.walk().ended == Ended::kBroken);
}
