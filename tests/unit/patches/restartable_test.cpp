// SPDX-License-Identifier: Apache-2.0
#include "patches/restartable.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <string>

#include "../code/assembled.h"
#include "patches/patcher.h"
#include "support/elf_files.h"

using namespace compmond;
using namespace compmond::inprocess;

namespace {

using Kind = Assembled::Kind;

// f: 16 bytes before the sequence, which has 8, and a return.
const std::string kFunction = function("f", ".skip 16,0x90; 1: .skip 8,0x90; 2: ret; .skip 8,0x90");
constexpr int64_t kSize = 33;
const std::string kAside = ".section aside,\"ax\"\n.long 0x53053053\n3: ret\n.text\n";

std::string described(const std::string& section, const std::string& words) {
  return ".section " + section + ",\"aw\"\n.balign 32\n4: .long 0,0\n.quad " + words + "\n.text\n";
}

const std::string kWhole = "1b, 2b - 1b, 3b";

// Where the code is, relative to f, and how long: "+16:8".
std::string restartable(const std::string& assembly, Kind kind = Kind::kLibrary) {
  const Assembled code(assembly, kind);
  std::string out;
  for (const elf::Image::Range& range : restartable_code(code.image())) {
    const int64_t from = int64_t(range.vaddr - code.symbol("f").vaddr);
    if (from < 0 || from >= kSize) continue;  // of the handler
    out += fmt::format("{}{:+}:{}", out.empty() ? "" : " ", from, range.size);
  }
  return out;
}

std::string refusal(const std::string& assembly, const std::string& name = "f") {
  const Assembled code(assembly);
  return Patcher(code.image()).plan(code.symbol(name)).refusal;
}

constexpr const char* kRefusal =
    "it has, or goes on for, a restartable sequence (rseq), of which nothing may be moved";

}  // namespace

TEST_CASE("restartable: a sequence is where its description says, however the loader finds that") {
  for (const Kind kind : {Kind::kLibrary, Kind::kPacked, Kind::kFixed})
    for (const char* section : {"__rseq_cs", ".data", ".data.rel.ro"}) {
      CAPTURE(section);
      CHECK(restartable(kFunction + kAside + described(section, kWhole), kind) == "+16:8");
    }
}

TEST_CASE("restartable: its addresses may be in the relocations alone, as some linkers have it") {
  const test::TempFolder folder;
  const std::string source = folder / "code.s", library = folder / "libcode.so";
  std::ofstream(source) << kFunction + kAside + described(".data", kWhole);
  test::shell("cc -nostdlib -shared -o " + library + " " + source);
  test::Draft draft(library);
  const uint64_t data = draft.section(".data").sh_offset;
  for (const uint64_t word : {data + 8, data + 24}) draft.at<uint64_t>(word) = 0;
  const auto image = draft.open();
  REQUIRE(image);
  bool found = false;
  for (const elf::Image::Range& range : restartable_code(*image)) found |= range.size == 8;
  CHECK(found);
}

TEST_CASE("restartable: any signature will do where the section's name says what it holds") {
  const std::string aside = ".section aside,\"ax\"\n.long 0x4711\n3: ret\n.text\n";
  const std::string list = ".section __rseq_cs_ptr_array,\"aw\"\n.quad 4b\n.text\n";
  CHECK(restartable(kFunction + aside + described("__rseq_cs", kWhole)) == "+16:8");
  CHECK(restartable(kFunction + aside + described(".data", kWhole)) == "");
  CHECK(restartable(kFunction + aside + described(".data", kWhole) + list) == "+16:8");
  CHECK(restartable(kFunction + aside + described(".data", kWhole) + list, Kind::kFixed) ==
        "+16:8");
}

TEST_CASE("restartable: several, of which some are one behind the other") {
  const std::string two = described("__rseq_cs", "1b, 4, 3b") +
                          described("__rseq_cs", "1b + 4, 4, 3b") +
                          described("__rseq_cs", "1b + 6, 4, 3b");
  CHECK(restartable(kFunction + kAside + two) == "+16:10");
}

TEST_CASE("restartable: what the kernel would not take, or leads nowhere, is none") {
  for (const char* words :
       {"1b, 0, 3b", "1b, -1, 3b", "1b, 0x7fffffff, 3b", "0, 8, 3b", "-8, 16, 3b", "4b, 8, 3b",
        "1b, 8, 4b", "1b, 8, 1b + 4", "1b, 8, 0", "1b, 8, 2", "-1, -1, -1"}) {
    CAPTURE(words);
    CHECK(restartable(kFunction + kAside + described("__rseq_cs", words)) == "");
    CHECK(restartable(kFunction + kAside + described(".data", words)) == "");
  }
  const std::string newer = ".section __rseq_cs,\"aw\"\n.balign 32\n.long 1,0\n.quad " + kWhole;
  CHECK(restartable(kFunction + kAside + newer + "\n.text\n") == "");
}

TEST_CASE("restartable: sections that hold something else are looked at within their bounds") {
  for (const char* content :
       {".skip 31,0xff", ".skip 1000,0xff", ".long 0", ".quad f, -1, 1, 0x7fffffffffffffff"})
    for (const char* name : {"__rseq_cs", "__rseq_cs_ptr_array", "__rseq_csx"}) {
      CAPTURE(name);
      CAPTURE(content);
      CHECK(restartable(kFunction + ".section " + name + ",\"aw\"\n" + content + "\n.text\n") ==
            "");
    }
  CHECK(restartable(kFunction + ".section __rseq_cs,\"aw\",@nobits\n.skip 64\n.text\n") == "");
}

TEST_CASE("restartable: one that nothing describes shows by its handler, and where that goes on") {
  const std::string inside =
      function("f", "0: jmp 1f; .long 0x53053053; 3: jmp 0b; 1: .skip 8,0x90; ret");
  CHECK(restartable(inside) == "+0:1 +2:6");
  const std::string aside = ".section aside,\"ax\"\n.long 0x53053053\n3: dec %eax; jmp 1b\n.text\n";
  CHECK(restartable(kFunction + aside) == "+16:1");
}

TEST_CASE("patcher: of a function with a restartable sequence nothing is moved, others go on") {
  const std::string body = "add $0x1000,%rax; add $0x1000,%rax; 1: add $0x1000,%rax; 2: ";
  const std::string f = function("f", body + "add $0x1000,%rax; ret; .skip 8,0x90");
  const std::string g = function("g", body + "add $0x1000,%rax; ret; .skip 8,0x90");
  CHECK(refusal(f + kAside + described("__rseq_cs", kWhole) + g) == kRefusal);
  CHECK(refusal(f + kAside + described("__rseq_cs", kWhole) + g, "g") == "");
  CHECK(refusal(f + kAside + described(".data", kWhole)) == kRefusal);
  CHECK(refusal(f + kAside + g) == "");
  const std::string resumed = ".section aside,\"ax\"\n.long 0x53053053\n3: jmp 1b\n.text\n";
  CHECK(refusal(f + resumed) == kRefusal);
}

TEST_CASE("patcher: nor is one where its cold part is the sequence") {
  const std::string f = function("f", "add $0x1000,%rax; test %edi,%edi; jne f.cold; ret") +
                        ".section cold,\"ax\"\n.type f.cold, @function\nf.cold:\n"
                        "1: add $0x1000,%rax; 2: ret\n.size f.cold, . - f.cold\n.text\n";
  CHECK(refusal(f + kAside + described("__rseq_cs", kWhole)) == kRefusal);
}
