// SPDX-License-Identifier: Apache-2.0
#include "elf/inlining.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>

#include "support/elf_files.h"

using namespace compmond;
using namespace compmond::test;

namespace {

constexpr uint64_t kMost = 1u << 20;

elf::Image built_with(const TempFolder& folder, const std::string& flags) {
  std::ofstream(folder / "code.c") << R"(
long part(long v) { // too long to be inlined where nobody asks for it
  for (long i = 0; i < v; ++i) {
    __asm__ volatile("" : "+r"(v));
    v = v * 3 + (v >> 2); v ^= v << 3;
    if (v & 64) v += i * 7 - (v >> 9); else v -= i ^ (v << 5);
  }
  return v;
}
__attribute__((flatten)) long flat(long v) { return part(v) + part(v + 1) + part(v + 2); }
long calls(long v) { return part(v) + part(v + 1) + part(v + 2) + part(v + 3); }
static inline __attribute__((always_inline)) long gone(long v) { return v ^ 5; }
long user(long v) { return gone(v) + gone(v + 1); }
)";
  shell("cc -O1 -shared -fPIC -fvisibility=hidden " + flags + " -o " + (folder / "code.so") + " " +
        (folder / "code.c"));
  return image_of("/code.so", folder.path());
}

// The most memory that this process had so far.
long peak_kib() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss;
}

}  // namespace

TEST_CASE("inlining: places and the calls that are left are counted by function") {
  const TempFolder folder;
  const auto found = elf::read_inlining(built_with(folder, "-g"), kMost);
  REQUIRE(found.size() == 2);
  CHECK(found.at("part").places == 3);
  CHECK(found.at("part").calls == 4);
  CHECK(found.at("gone").places == 2);
  CHECK(found.at("gone").calls == 0);
}

TEST_CASE("inlining: nothing is known without debug information, or with more than is read") {
  const TempFolder folder;
  CHECK(elf::read_inlining(built_with(folder, "-g0"), kMost).empty());
  CHECK(elf::read_inlining(built_with(folder, "-g"), 10).empty());
}

TEST_CASE("inlining: of compressed debug information no more is unpacked than there can be") {
  const TempFolder folder;
  const std::string packed = folder / "code.so", bomb = folder / "bomb.so";
  CHECK(elf::read_inlining(built_with(folder, "-g -gz"), kMost).size() == 2);
  CHECK(elf::read_inlining(built_with(folder, "-g -gz"), 10).empty());  // its size unpacked counts
  // Zeros, a thousandth of their size, beside what is sound.
  shell("head -c 300M /dev/zero > " + (folder / "zeros"));
  shell("objcopy --add-section .debug_zeros=" + (folder / "zeros") + " " + packed + " " + bomb);
  shell("objcopy --compress-debug-sections=zlib " + bomb);
  CHECK(std::filesystem::file_size(bomb) < 1u << 20);
  const long before = peak_kib();
  CHECK(elf::read_inlining(image_of("/bomb.so", folder.path()), kMost).empty());
  CHECK(peak_kib() - before < 64 << 10);
}

TEST_CASE("inlining: of endless functions in debug information so many are kept as there may be") {
  const TempFolder folder;
  // A unit of 300,000 functions "f" (3 bytes each), and as many places where one is inlined.
  std::ofstream(folder / "many.s") << R"(
.section .debug_abbrev
.uleb128 1, 0x11; .byte 1, 0, 0
.uleb128 2, 0x2e; .byte 0, 0x03, 0x08, 0, 0
.uleb128 3, 0x1d; .byte 0, 0x31, 0x13, 0, 0
.byte 0
.section .debug_info
.long end - start
start:
.short 4
.long 0
.byte 8
.uleb128 1
.rept 300000
.byte 2, 'f', 0
.endr
.set at, 12
.rept 300000
.byte 3
.long at
.set at, at + 3
.endr
.byte 0
end:
.text
ret
)";
  shell("cc -shared -nostdlib -Wl,-Ttext=0x1000 -o " + (folder / "many.so") + " " +
        (folder / "many.s"));
  const auto found = elf::read_inlining(image_of("/many.so", folder.path()), 4u << 20);
  REQUIRE(found.contains("f"));
  CHECK(found.at("f").places == 200'000);
}
