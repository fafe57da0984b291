// SPDX-License-Identifier: Apache-2.0
#include "patches/patcher.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <string>

#include "../code/assembled.h"
#include "../code/real_binaries.h"
#include "patches/ledger.h"

using namespace compmond;
using namespace compmond::inprocess;

namespace {

// Where each patch is, relative to the function, how it is made, how deep the stack is there, and
// what is moved (a * behind what leaves the function). Or why there are none.
std::string text_of(const FunctionPatches& found, uint64_t start) {
  if (found.refused()) return found.refusal;
  std::string out;
  for (const Patch& patch : found.patches) {
    out += fmt::format("{}+{} {}", out.empty() ? "" : "; ", patch.at - start, to_text(patch.kind));
    if (patch.depth) out += fmt::format(" -{}", patch.depth);
    if (patch.springboard) out += fmt::format(" by {:+}", int64_t(patch.springboard - start));
    out += ":";
    for (const Patch::Moved& moved : patch.moved)
      out += fmt::format(" {}{}", moved.vaddr - start, moved.exit ? "*" : "");
  }
  return out;
}

std::string patches(const std::string& body, const std::string& others = "",
                    const Asked& asked = {}) {
  const Assembled code(function("f", body) + others);
  Patcher patcher(code.image());
  return text_of(patcher.plan(code.symbol("f"), asked), code.symbol("f").vaddr);
}

const std::string kOther = function("other", "endbr64; ret");
const std::string kMiddle = "add $0x1000,%rax; ";  // 6 bytes

}  // namespace

TEST_CASE("ledger: each byte has one owner") {
  Ledger ledger;
  ledger.take(10, 5);
  CHECK_FALSE(ledger.free(14, 5));
  CHECK_FALSE(ledger.free(6, 5));
  CHECK(ledger.free(15, 5));
  CHECK(ledger.free(5, 5));
}

TEST_CASE("patcher: the entry's jump is behind the first instruction, where a probe may be") {
  CHECK(patches("push %rbx; sub $16,%rsp; " + kMiddle + kMiddle +
                "add $16,%rsp; pop %rbx; ret; .skip 8,0x90") ==
        "+1 behind-first -8: 1 5; +22 return: 22*");
  CHECK(patches("endbr64; mov %rdi,%rax; " + kMiddle + kMiddle + "ret; .skip 8,0x90") ==
        "+7 behind-first: 7; +19 return: 19*");
}

TEST_CASE("patcher: but at the first where that writes memory, as a recording would") {
  CHECK(patches("mov %rdi,-8(%rsp); " + kMiddle + kMiddle + "ret; .skip 8,0x90") ==
        "+0 first: 0; +17 return: 17*");
}

TEST_CASE("patcher: where a call comes too soon, that leads elsewhere first") {
  CHECK(patches("sub $8,%rsp; call other; add $8,%rsp; " + kMiddle + "ret; .skip 8,0x90", kOther) ==
        "+4 first-call -16: 4; +19 return: 19*");
}

TEST_CASE("patcher: a return without padding goes with what is before it") {
  // 32 bytes, behind which the next function begins.
  CHECK(patches(kMiddle + kMiddle + kMiddle + kMiddle + "mov $1,%ecx; pop %rbx; push %rbx; ret",
                kOther) == "+6 behind-first: 6; +24 return-with-preceding: 24 29 30 31*");
}

TEST_CASE("patcher: a return near the entry goes with that") {
  CHECK(patches("mov %edi,%eax; add $1,%eax; ret", kOther) == "+2 behind-first: 2 5*");
  CHECK(patches("ret; .skip 15,0x90") == "+0 first: 0*");
}

TEST_CASE("patcher: tail jumps are patched where they are") {
  CHECK(patches(kMiddle + kMiddle + kMiddle + "jmp other", kOther) ==
        "+6 behind-first: 6; +18 tail-jump: 18*");
  CHECK(patches(kMiddle + kMiddle + "test %edi,%edi; je other; " + kMiddle + "ret; .skip 8,0x90",
                kOther) == "+6 behind-first: 6; +12 tail-jump: 12 14* 16; +22 return: 22*");
}

TEST_CASE("patcher: a short jump leads to padding, of the function or between two") {
  // Two returns with two bytes of room each; padding is behind the jump.
  const std::string body = kMiddle + kMiddle +
                           "1: test %edi,%edi; je 2f; jmp 3f; .skip 8,0x90; 2: repz ret; 3: "
                           "inc %edi; jne 1b; ";
  CHECK(patches(body + kMiddle + "ret; .skip 8,0x90") ==
        "+6 behind-first: 6; +26 short-exit by +21: 26*; "
        "+38 return: 38*");
}

TEST_CASE("patcher: what a jump from elsewhere leads into is left alone") {
  CHECK(patches("mov %rdi,%rax; 1: add $1,%eax; cmp $9,%eax; jne 1b; ret; .skip 24,0x90") ==
        "+0 short-entry by +31: 0; +11 return: 11*");
  CHECK(patches(kMiddle + kMiddle + "ret; .skip 8,0x90", function("g", "jmp f+8")) ==
        "+0 first: 0; +12 return: 12*");
  CHECK(patches("1: " + kMiddle + "dec %edi; jne 1b; ret; .skip 8,0x90") ==
        "it jumps back to its start, and each round would be a call");
}

TEST_CASE("patcher: what code or data name by its address may be where control comes to") {
  const std::string body = "mov %rdi,%rax; add $1,%eax; .Lmid: " + kMiddle + "ret; .skip 24,0x90";
  const std::string freely = "+3 behind-first: 3 6; +12 return: 12*";
  CHECK(patches(body) == freely);
  CHECK(patches(body, function("g", "lea .Lmid(%rip),%rax; jmp *%rax")) != freely);
  CHECK(patches(body, ".data; .quad .Lmid; .text\n" + kOther) != freely);
}

TEST_CASE("patcher: constants that look like padding are none") {
  const std::string body =
      kMiddle + kMiddle + "and mask(%rip),%eax; mov %eax,%ecx; pop %rbx; push %rbx; ret; ";
  CHECK(patches(body, "mask: .skip 8,0xcc\n" + kOther)
            .ends_with("return-with-preceding: 18 20 21 22*"));
  CHECK(patches(body, ".skip 8,0xcc\nmask: .long 0\n" + kOther).ends_with("; +22 return: 22*"));
  CHECK(patches(kMiddle + "and 9f(%rip),%eax; mov %eax,%ecx; ret; 9: .quad 0x90c3c08948c08948") ==
        "it has data in its code at +0xf");
}

TEST_CASE("patcher: an indirect jump that is kept from speculation is one") {
  const std::string thunk =
      function("thunk", "call 1f; 2: pause; lfence; jmp 2b; 1: mov %rdx,(%rsp); ret");
  CHECK(patches(kMiddle + kMiddle + "jmp thunk", thunk) ==
        "not all ways out of it are known: the jump at +0xc is an indirect one, by a retpoline");
}

TEST_CASE("patcher: what calls its own middle has who knows what behind the call") {
  CHECK(patches(kMiddle + kMiddle +
                "call 2f; .quad 0x90c3c08948c08948; 2: pop %rdx; ret; .skip 8,0x90") ==
        "not all ways out of it are known: it calls its own middle at +0xc");
}

TEST_CASE("patcher: what must not be moved is not") {
  CHECK(patches("syscall; ret; .skip 8,0x90").starts_with("no jump fits at its entry: "));
  CHECK(patches("push %rbx; jmp *%rax").starts_with("not all ways out of it are known"));
}

TEST_CASE("patcher: an argument that is read at the entry is read before it changes") {
  const std::string body = "xor %edi,%edi; " + kMiddle + kMiddle + "ret; .skip 8,0x90";
  constexpr uint8_t kRdi = 7, kRsi = 6;
  CHECK(patches(body, "", {.values = {kRsi}}) == "+2 behind-first: 2; +14 return: 14*");
  CHECK(patches(body, "", {.values = {kRdi}}) == "+0 first: 0 2; +14 return: 14*");
  CHECK(patches("xor %edi,%edi; call other; " + kMiddle + "ret; .skip 8,0x90", kOther,
                {.values = {kRdi}})
            .starts_with("+0 short-entry by "));
}

TEST_CASE("patcher: the jump is at the first instruction where it must not move") {
  CHECK(patches("push %rbx; sub $16,%rsp; " + kMiddle + "add $16,%rsp; pop %rbx; ret; .skip 8,0x90",
                "", {.moves = false}) == "+0 first: 0 1; +16 return: 16*");
  CHECK(patches("sub $8,%rsp; call other; add $8,%rsp; " + kMiddle + "ret; .skip 8,0x90", kOther,
                {.moves = false})
            .starts_with("+0 short-entry by "));
}

TEST_CASE("patcher: of what is only counted the exits are left alone") {
  CHECK(patches(kMiddle + kMiddle + "ret; .skip 8,0x90", "", {.exits = false}) ==
        "+6 behind-first: 6");
}

TEST_CASE("patcher: a function has its patches once") {
  const Assembled code(function("f", kMiddle + kMiddle + "ret; .skip 8,0x90"));
  Patcher patcher(code.image());
  CHECK_FALSE(patcher.plan(code.symbol("f")).refused());
  CHECK(patcher.plan(code.symbol("f")).refused());
}

// Shares: bench/suites/patchable.py.
TEST_CASE("patcher: of real programs nearly all functions, each with its own bytes") {
  for (const std::string path : {kRealBinaries[1], kRealBinaries[2]}) {
    CAPTURE(path);
    const auto image = open_image(path);
    Patcher patcher(image);
    size_t all = 0, patched = 0;
    std::map<uint64_t, uint64_t> written;
    for (const elf::Symbol& symbol : sample(image)) {
      const FunctionPatches found = patcher.plan(symbol);
      ++all;
      patched += !found.refused();
      for (const Patch& patch : found.patches) {
        REQUIRE_FALSE(patch.moved.empty());
        CHECK(patch.moved.front().vaddr == patch.at);
        CHECK((patch.size == Patch::kShortJump) == (patch.springboard != 0));
        written[patch.at] = patch.at + patch.size;
        if (patch.springboard) written[patch.springboard] = patch.springboard + Patch::kJump;
      }
    }
    CHECK(patched * 100 >= all * 95);
    uint64_t end = 0;
    for (const auto& [begin, its_end] : written) {
      CHECK(begin >= end);
      end = its_end;
    }
  }
}
