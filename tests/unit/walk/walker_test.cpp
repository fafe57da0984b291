// SPDX-License-Identifier: Apache-2.0
#include "walk/walker.h"

#include <doctest/doctest.h>
#include <dwarf.h>

#include "scene.h"
#include "walk/bare_code.h"

// Each rule of walker.h on stacks that are made by hand.
using namespace compmond;
using namespace compmond::unwind;
using namespace compmond::unwind::test;
using sampling::Ended;

TEST_CASE("walker: the first frame is where it stands, callers are one before their return") {
  Scene scene;
  scene.code.rows[0x100] = plain(16);
  scene.code.rows[0x200] = plain(8);
  scene.at(0x100);
  scene.words = {1, kBase + 0x201, kOuter};
  const Walked walked = scene.walk();
  CHECK(walked.ended == Ended::kComplete);
  CHECK(vaddrs(walked) == Vaddrs{0x100, 0x200, 0x8000});
  CHECK(walked.stack_top == kStack + 24);
}

TEST_CASE("walker: a call at a function's very end is looked up in that function") {
  Scene scene;
  scene.code.rows[0x100] = plain(8);
  scene.code.rows[0x200] = plain(16);
  scene.code.rows[0x300] = plain(8000);  // the next function
  scene.at(0x100);
  scene.words = {kBase + 0x300, 7, kOuter};
  CHECK(scene.walk().ended == Ended::kComplete);
}

TEST_CASE("walker: at a trap that fills a gap a thread is at the function behind it") {
  Scene scene;
  scene.code.rows[0x100] = {};
  scene.code.rows[0x110] = plain(8);
  scene.code.bytes[0x10f] = {0xcc};
  scene.at(0x10f);
  scene.words = {kOuter};
  CHECK(vaddrs(scene.walk()) == Vaddrs{0x110, 0x8000});
  CHECK(scene.walk().ended == Ended::kComplete);

  scene.code.bytes[0x10e] = {0xcc};  // one is what a probe can be taken for, a row of them is not
  scene.at(0x10e);
  CHECK(scene.walk().ended == Ended::kBroken);
  CHECK(scene.walk().frames.size() == 1);

  scene.code.bytes[0x10f] = {0x90};
  scene.at(0x10f);
  CHECK(scene.walk().ended == Ended::kBroken);
}

TEST_CASE("walker: a return address of 0 ends a stack") {
  Scene scene;
  scene.code.rows[0x100] = plain(8);
  scene.at(0x100);
  scene.words = {0};
  const Walked walked = scene.walk();
  CHECK(walked.ended == Ended::kComplete);
  CHECK(walked.frames.size() == 1);
  CHECK(walked.stack_top == kStack + 8);
}

TEST_CASE("walker: registers come back from their slots, and the CFA may hang on them") {
  Scene scene;
  scene.code.rows[0x100] = plain(24);
  scene.code.rows[0x100].at[1] = -16;  // rbp
  scene.code.rows[0x200] = plain(16, kRbp);
  scene.at(0x100);
  scene.words = {1, kStack + 24, kBase + 0x201, 2, kOuter};
  CHECK(scene.walk().ended == Ended::kComplete);
}

TEST_CASE("walker: a slot below the stack pointer was taken back: the register is unchanged") {
  Scene scene;
  scene.code.rows[0x100] = plain(8);
  scene.code.rows[0x100].at[1] = -16;  // as before the pop
  scene.code.rows[0x200] = plain(16, kRbp);
  scene.at(0x100);
  scene.head.registers[kRbp] = kStack + 8;
  scene.words = {kBase + 0x201, 2, kOuter};
  CHECK(scene.walk().ended == Ended::kComplete);
}

TEST_CASE("walker: what calls may change is not known of a caller") {
  constexpr uint8_t kR10 = 10;
  Scene scene;
  scene.code.rows[0x100] = plain(8, kR10);
  scene.at(0x100);
  scene.head.registers[kR10] = kStack;
  scene.words = {kBase + 0x101, kOuter, kOuter};
  CHECK(vaddrs(scene.walk()) == Vaddrs{0x100, 0x100});
  CHECK(scene.walk().ended == Ended::kBroken);
}

TEST_CASE("walker: a CFA that does not grow is nonsense") {
  Scene scene;
  scene.words = std::vector<uint64_t>(8, kBase + 0x101);
  scene.at(0x100);
  for (const int32_t offset : {0, -8, -4096, INT32_MIN}) {
    scene.code.rows[0x100] = plain(offset);
    CHECK(scene.walk().ended == Ended::kBroken);
    CHECK(scene.walk().frames.size() == 1);
  }
}

TEST_CASE("walker: addresses that leave the 64 bits are nonsense") {
  Scene scene;
  scene.code.rows[0x100] = plain(64);
  scene.at(0x100);
  for (const uint64_t sp : {~uint64_t(0), ~uint64_t(0) - 7, ~uint64_t(0) - 63}) {
    scene.head.registers[kRsp] = sp;
    scene.words = {kOuter, kOuter};
    CHECK(scene.walk().ended != Ended::kComplete);
  }
  scene.code.rows[0x100] = plain(8, kRbp);
  scene.head.registers[kRsp] = kStack;
  for (const uint64_t base : {~uint64_t(0), ~uint64_t(0) - 15, uint64_t(0)}) {
    scene.head.registers[kRbp] = base;
    CHECK(scene.walk().ended != Ended::kComplete);
  }
}

TEST_CASE("walker: beyond the copied bytes a stack is truncated, also within a word") {
  Scene scene;
  scene.code.rows[0x100] = plain(16);
  scene.at(0x100);
  scene.words = {1};
  CHECK(scene.walk().ended == Ended::kTruncated);
  scene.words = {};
  CHECK(scene.walk().ended == Ended::kTruncated);
  scene.words = {1, kOuter};
  Walked out;
  walk({&scene.head, std::as_bytes(std::span(scene.words)).first(15)}, &scene.space, scene.code,
       out);
  CHECK(out.ended == Ended::kTruncated);
}

TEST_CASE("walker: an endless stack is truncated at so many frames") {
  Scene scene;
  scene.code.rows[0x100] = plain(8);
  scene.at(0x100);
  scene.words = std::vector<uint64_t>(2000, kBase + 0x101);
  const Walked walked = scene.walk();
  CHECK(walked.ended == Ended::kTruncated);
  CHECK(walked.frames.size() == kFrames);
}

TEST_CASE("walker: outside of all mappings, and beside probes, a stack is broken") {
  Scene scene;
  scene.code.rows[0x100] = plain(8);
  scene.at(0x100);
  scene.words = {0x7fffffffe000, kOuter};
  scene.space.map({0x7fffffffe000, 0x7ffffffff000, 0, sampling::kNoImage});
  CHECK(scene.walk().ended == Ended::kBroken);
  scene.words = {0x99999999, kOuter};
  Walked walked = scene.walk();
  CHECK(walked.ended == Ended::kBroken);
  REQUIRE(walked.frames.size() == 2);
  CHECK(walked.frames[1] == Frame{sampling::kNoImage, 0x99999998});
  unwind::walk({&scene.head, {}}, nullptr, scene.code, walked);
  CHECK(walked.ended == Ended::kBroken);
  CHECK(walked.frames == std::vector<Frame>{{sampling::kNoImage, kBase + 0x100}});
}

TEST_CASE("walker: a file that cannot be read breaks a stack") {
  Scene scene;
  scene.space.map({0x500000, 0x600000, 0, kUnread});
  scene.code.rows[0x100] = plain(8);
  scene.at(0x100);
  scene.words = {0x500010, kOuter};
  const Walked walked = scene.walk();
  CHECK(walked.ended == Ended::kBroken);
  CHECK(walked.frames.back() == Frame{kUnread, 0});
}

TEST_CASE("walker: code of no file is passed by frame pointers, if that leads to the end") {
  Scene scene;
  scene.space.map({0x500000, 0x600000, 0, sampling::kNoImage});
  scene.head.registers[kPc] = 0x500010;
  scene.head.registers[kRbp] = kStack + 8;
  scene.words = {1, kStack + 32, 0x500100, 2, 0, kOuter};
  Walked walked = scene.walk();
  CHECK(walked.ended == Ended::kComplete);
  CHECK(vaddrs(walked) == Vaddrs{0x500010, 0x5000ff, 0x8000});
  scene.words[5] = 0x99999999;  // returns to nowhere
  CHECK(scene.walk().ended == Ended::kBroken);
  scene.words.resize(5);  // too short: what was guessed is not confirmed
  CHECK(scene.walk().ended == Ended::kBroken);
  for (const uint64_t bad : {uint64_t(5), kStack - 8, kStack + 12, kStack + 4096, ~uint64_t(7)}) {
    scene.head.registers[kRbp] = bad;
    CHECK(scene.walk().ended == Ended::kBroken);
    CHECK(scene.walk().frames.size() == 1);
  }
}

TEST_CASE("walker: in a file without rows, 0 for a frame pointer marks the first frame") {
  Scene scene;
  scene.code.rows[0x100] = plain(8);
  scene.at(0x100);
  scene.words = {kBase + 0x9101, 1, 2};
  CHECK(scene.walk().ended == Ended::kComplete);
  CHECK(scene.walk().stack_top == kStack + 8);
  scene.head.registers[kRbp] = 1;
  CHECK(scene.walk().ended == Ended::kBroken);
  scene.at(0x9100);  // of the frame that runs it says nothing
  scene.head.registers[kRbp] = 0;
  CHECK(scene.walk().ended == Ended::kBroken);
}

TEST_CASE("walker: a stack that a program made ends where it returns to a function's beginning") {
  Scene scene;
  const std::vector<uint8_t> filler(kCallBytes, 0x90);
  scene.code.rows[0x100] = plain(8);
  scene.code.rows[0x1f0] = {};  // what is filled up is no function's
  scene.code.rows[0x200] = plain(8);
  scene.code.bytes[0x1f9] = filler;
  scene.head.registers[kRbp] = 1;
  scene.at(0x100);
  scene.words = {kBase + 0x200, 5};
  CHECK(scene.walk().ended == Ended::kComplete);
  CHECK(scene.walk().stack_top == kStack + 8);
  scene.code.rows[0x200] = {.kind = Row::Kind::kOutermost};
  CHECK(scene.walk().ended == Ended::kComplete);
  scene.code.rows[0x200] = plain(16);  // within one
  CHECK(scene.walk().ended == Ended::kBroken);
  scene.code.rows[0x200] = plain(8);
  scene.code.bytes[0x1f9] = {0x90, 0x90, 0xe8, 1, 2, 3, 4};  // a call that does not come back
  CHECK(scene.walk().ended == Ended::kBroken);
  scene.code.bytes.clear();  // which nobody knows
  CHECK(scene.walk().ended == Ended::kBroken);
  scene.code.bytes[0x201] = filler;
  scene.code.rows[0x208] = plain(8);
  scene.words = {kBase + 0x208, 5};
  CHECK(scene.walk().ended != Ended::kComplete);
}

TEST_CASE("walker: in a file without rows, the program's arguments just above mark the entry") {
  Scene scene;
  scene.code.rows[0x100] = plain(8);
  scene.at(0x100);
  scene.head.registers[kRbp] = 1;
  scene.words = {kBase + 0x9101, 5, 6, 7, 2, kStack + 0x1000, kStack + 0x1008, 0, 9};
  const Walked walked = scene.walk();
  CHECK(walked.ended == Ended::kComplete);
  CHECK(walked.stack_top == kStack + 8 * 8);
  scene.words[7] = 1;  // not ended by NULL
  CHECK(scene.walk().ended == Ended::kBroken);
  scene.words[7] = 0;
  scene.words[6] = kStack - 4096;  // no text that was laid above
  CHECK(scene.walk().ended == Ended::kBroken);
}

TEST_CASE("walker: an entry of the linkage table without a row returns from where it is") {
  Scene scene;
  scene.at(0x9100);
  scene.words = {kOuter};
  for (const std::vector<uint8_t>& bytes :
       std::vector<std::vector<uint8_t>>{{0xff, 0x25, 1, 2, 3, 4},
                                         {0xf2, 0xff, 0x25, 1, 2, 3, 4},
                                         {0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, 1, 2, 3, 4}}) {
    scene.code.bytes[0x9100] = bytes;
    CHECK(scene.walk().ended == Ended::kComplete);
  }
  scene.code.bytes[0x9100] = {0xff, 0x35, 1, 2, 3, 4};  // push
  CHECK(scene.walk().ended == Ended::kBroken);
}

TEST_CASE("walker: a thread that a system call has just made was called by nobody") {
  constexpr int kRax = 0, kRcx = 2;
  Scene scene;
  scene.at(0x9102);
  scene.code.bytes[0x9100] = {0x0f, 0x05};
  scene.code.bytes[0x9102] = {0x48, 0x85, 0xc0};
  scene.head.registers[kRcx] = kBase + 0x9102;
  scene.head.registers[kRbp] = 1;
  CHECK(scene.walk().ended == Ended::kComplete);
  CHECK(scene.walk().stack_top == kStack);
  scene.head.registers[kRax] = 4711;  // who made it
  CHECK(scene.walk().ended == Ended::kBroken);
  scene.head.registers[kRax] = 0;
  scene.head.registers[kRcx] = 0;
  CHECK(scene.walk().ended == Ended::kBroken);
}

TEST_CASE("walker: the end of a signal handler without a row is known by its bytes") {
  Scene scene;
  scene.code.rows[0x100] = plain(8);
  scene.code.rows[0x300] = plain(8);
  scene.at(0x100);
  scene.words = std::vector<uint64_t>(40, 1);
  scene.words[0] = kBase + 0x9100;  // the handler returns there
  const size_t saved = 1 + 40 / 8;
  scene.words[saved + 15] = kStack + 30 * 8;  // rsp and rip of what it interrupted
  scene.words[saved + 16] = kBase + 0x300;
  scene.words[30] = kOuter;
  scene.space.map({kBase + 0x9000, kBase + 0xa000, 0x9000, kFile});
  for (const std::vector<uint8_t>& bytes : std::vector<std::vector<uint8_t>>{
           {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05}, {0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05}}) {
    scene.code.bytes[0x9100] = bytes;
    const Walked walked = scene.walk();
    CHECK(walked.ended == Ended::kComplete);
    CHECK(vaddrs(walked) == Vaddrs{0x100, 0x90ff, 0x300, 0x8000});
  }
  scene.words[saved + 15] = kStack - 0x100000;  // another stack, which nobody copied
  CHECK(scene.walk().ended == Ended::kTruncated);
}

namespace {

// A signal's frame: rsp and rip at the words 1 and 2 of it.
Rules signal_rules() {
  Rules out;
  out.cfa = {{DW_OP_breg0 + kRsp, 8, 0}, {DW_OP_deref, 0, 0}};
  out.registers[kRsp] = {Rules::Rule::How::kMemory, {{DW_OP_breg0 + kRsp, 8, 0}}};
  out.registers[kPc] = {Rules::Rule::How::kMemory, {{DW_OP_breg0 + kRsp, 16, 0}}};
  return out;
}

}  // namespace

TEST_CASE("walker: across a signal the stack pointer may fall, and the pc is exact") {
  Scene scene;
  scene.code.all_rules = {signal_rules()};
  scene.code.rows[0x100] = plain(32);
  scene.code.rows[0x200] = {.kind = Row::Kind::kRules, .signal = true};
  scene.code.rows[0x300] = plain(8);
  scene.at(0x100);
  //             handler's frame          | signal's frame at word 4
  scene.words = {kOuter, 0, 0, kBase + 0x201, 0, kStack, kBase + 0x300};
  const Walked walked = scene.walk();
  CHECK(walked.ended == Ended::kComplete);
  CHECK(vaddrs(walked) == Vaddrs{0x100, 0x200, 0x300, 0x8000});
  scene.code.rows[0x200].signal = false;
  CHECK(scene.walk().ended == Ended::kBroken);
}

TEST_CASE("walker: signals that interrupt each other for ever are cut") {
  Scene scene;
  scene.code.all_rules = {signal_rules()};
  scene.code.rows[0x200] = {.kind = Row::Kind::kRules, .signal = true};
  scene.at(0x200);
  scene.words = {0, kStack, kBase + 0x200};
  const Walked walked = scene.walk();
  CHECK(walked.ended == Ended::kTruncated);
  CHECK(walked.frames.size() == kFrames);
}

TEST_CASE("walker: rules that cannot be evaluated break a stack, missing bytes truncate it") {
  Scene scene;
  scene.code.all_rules = {signal_rules()};
  scene.code.rows[0x200] = {.kind = Row::Kind::kRules};
  scene.at(0x200);
  scene.words = {0, kStack + 64};
  CHECK(scene.walk().ended == Ended::kTruncated);  // no word 2
  scene.words = {0};
  CHECK(scene.walk().ended == Ended::kTruncated);  // no word 1
  scene.code.all_rules[0].cfa = {{DW_OP_plus, 0, 0}};
  CHECK(scene.walk().ended == Ended::kBroken);
  scene.code.all_rules[0].cfa = {};
  CHECK(scene.walk().ended == Ended::kBroken);
}
