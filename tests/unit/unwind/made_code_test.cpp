// SPDX-License-Identifier: Apache-2.0
#include "unwind/made_code.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string_view>

#include "core/limits.h"

using namespace compmond;
using sampling::Frame;
using unwind::MadeCode;

namespace {

constexpr sampling::ImageNumber kJit = 9;
constexpr uint64_t kFirst = unwind::kFirstMadePlace, kSecond = 1'000'000'000;

// A process's perf map, as it grows.
struct Jit {
  Fd file{::memfd_create("perf map", MFD_CLOEXEC)};
  std::vector<MadeCode::Report> reports;
  MadeCode code{{.report = [this](const MadeCode::Report& one) { reports.push_back(one); }}};
  std::vector<sampling::Function> met;  // by the last name()
  uint64_t now_ns = kSecond;

  Jit() { tell(1); }
  Fd copy() const { return Fd(::fcntl(file.get(), F_DUPFD_CLOEXEC, 0)); }
  void tell(uint32_t pid) { code.tell(pid, kJit, kFirst, copy()); }
  void write(std::string_view text) {
    REQUIRE(::write(file.get(), text.data(), text.size()) == ssize_t(text.size()));
  }
  void rewrite(std::string_view text) {
    REQUIRE(::ftruncate(file.get(), 0) == 0);
    REQUIRE(::lseek(file.get(), 0, SEEK_SET) == 0);
    write(text);
  }
  Frame name(uint64_t address, uint32_t pid = 1) {
    std::vector<Frame> frames{{sampling::kNoImage, address}};
    met.clear();
    code.name(pid, now_ns, frames, met);
    return frames[0];
  }
  // The name of what is there, which is met for the first time.
  std::string first_name(uint64_t address, uint32_t pid = 1) {
    const Frame frame = name(address, pid);
    if (met.empty()) return "";
    CHECK(met[0].image == kJit);
    CHECK((frame.vaddr >= met[0].start && frame.vaddr < met[0].end));
    return met[0].name;
  }
};

}  // namespace

TEST_CASE("made code: a frame gets a place in the image, and its function is told once") {
  Jit jit;
  jit.write("1000 10 one\n2000 20 two\n");
  CHECK(jit.name(0x2004) == Frame{kJit, kFirst + 4});
  REQUIRE(jit.met.size() == 1);
  CHECK(jit.met[0].name == "two");
  CHECK(jit.met[0].start == kFirst);
  CHECK(jit.met[0].end == kFirst + 0x20);
  CHECK(jit.name(0x2005) == Frame{kJit, kFirst + 5});
  CHECK(jit.met.empty());
  CHECK(jit.name(0x1000) == Frame{kJit, kFirst + 0x20});
}

TEST_CASE("made code: frames of files, of unknown code and of other processes stay as they are") {
  Jit jit;
  jit.write("1000 10 one\n");
  std::vector<Frame> frames{{5, 0x1000}, {sampling::kVdso, 0x1000}, {sampling::kNoImage, 0x3000}};
  const auto before = frames;
  jit.code.name(1, kSecond, frames, jit.met);
  CHECK(frames == before);
  CHECK(jit.name(0x1000, 2) == Frame{sampling::kNoImage, 0x1000});
}

TEST_CASE("made code: what is written later is read on, a moment later at the latest") {
  Jit jit;
  jit.write("1000 10 one\n2000 10 tw");
  CHECK(jit.first_name(0x1000) == "one");
  jit.write("o\n3000 10 three\n");
  CHECK(jit.first_name(0x2000).empty());
  jit.now_ns += kSecond;
  CHECK(jit.first_name(0x2000) == "two");
  CHECK(jit.first_name(0x3000) == "three");
}

TEST_CASE("made code: what is written over other code is another function, with its own place") {
  Jit jit;
  jit.write("1000 10 one\n");
  const Frame before = jit.name(0x1000);
  jit.write("1000 10 other\n");
  jit.now_ns += kSecond;
  const Frame after = jit.name(0x1000);
  CHECK(after.vaddr != before.vaddr);
  REQUIRE(jit.met.size() == 1);
  CHECK(jit.met[0].name == "other");
  CHECK(jit.met[0].start >= before.vaddr + 0x10);
}

TEST_CASE("made code: a perf map that is written anew is read anew, longer or shorter") {
  Jit jit;
  jit.write("1000 10 one\n2000 10 two\n");
  CHECK(jit.first_name(0x1000) == "one");
  for (const char* text : {"5000 10 five\n", "6000 10 six\n7000 10 seven\n8000 10 eight\n"}) {
    jit.rewrite(text);
    jit.now_ns += kSecond;
    CHECK(jit.name(0x1000).image == sampling::kNoImage);
    CHECK(jit.first_name(std::stoul(text, nullptr, 16)) != "");
  }
}

TEST_CASE("made code: a child has its parent's names until it has its own") {
  Jit jit;
  jit.write("1000 10 one\n");
  jit.code.fork(1, 2);
  CHECK(jit.first_name(0x1000, 2) == "one");
  CHECK(jit.name(0x1000, 1).image == kJit);
  CHECK(jit.met.empty());
  jit.code.tell(2, kJit, kFirst, Fd());
  CHECK(jit.name(0x1000, 2).image == sampling::kNoImage);
  CHECK(jit.name(0x1000, 1).image == kJit);
  jit.code.forget(1);
  CHECK(jit.name(0x1000, 1).image == sampling::kNoImage);
}

TEST_CASE("made code: lines that are left out are told once, with how many there were") {
  Jit jit;
  jit.write("1000 10 one\nnonsense\n");
  (void)jit.name(0x1000);
  REQUIRE(jit.reports.size() == 1);
  CHECK(jit.reports[0].pid == 1);
  CHECK(jit.reports[0].lines == 2);
  CHECK(jit.reports[0].skipped == 1);
  CHECK_FALSE(jit.reports[0].cut);
  jit.write("more of it\n");
  jit.now_ns += kSecond;
  (void)jit.name(0x1000);
  CHECK(jit.reports.size() == 1);
}

TEST_CASE("made code: of a perf map that is too long the beginning is read, and that is told") {
  Jit jit;
  jit.write("1000 10 one\n");
  REQUIRE(::ftruncate(jit.file.get(), off_t(limits::kPerfMapBytes)) == 0);  // one long line
  REQUIRE(::lseek(jit.file.get(), 0, SEEK_END) > 0);
  jit.write("\n2000 10 two\n");
  CHECK(jit.first_name(0x1000) == "one");
  CHECK(jit.name(0x2000).image == sampling::kNoImage);
  REQUIRE(jit.reports.size() == 1);
  CHECK(jit.reports[0].cut);
}
