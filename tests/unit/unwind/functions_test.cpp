// SPDX-License-Identifier: Apache-2.0
#include "unwind/functions.h"

#include <doctest/doctest.h>
#include <fcntl.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "captured.h"
#include "support/elf_files.h"
#include "unwind/child_unwinder.h"
#include "unwind/unwinding.h"

using namespace compmond;
using namespace compmond::unwind::test;
using sampling::Function;
using sampling::Walked;

namespace {

std::vector<std::string> names_of(const Walked& walked) {
  std::vector<std::string> out;
  for (const Function& function : walked.functions) out.push_back(function.name);
  std::ranges::sort(out);
  return out;
}

bool has(const std::vector<std::string>& all, const std::string& one) {
  return std::ranges::find(all, one) != all.end();
}

bool holds(const Function& function, const sampling::Frame& frame) {
  return function.image == frame.image && frame.vaddr >= function.start &&
         frame.vaddr < function.end;
}

}  // namespace

extern "C" {
[[gnu::noinline, gnu::used]] int functions_depth(int depth, Captured* into) {
  if (depth == 0)
    *into = capture();
  else
    functions_depth(depth - 1, into);
  asm volatile("");
  return depth;
}
}

TEST_CASE("functions: each that frames lie in is told once, with its name") {
  unwind::Unwinding here;
  tell_self(here);
  Captured captured;
  functions_depth(3, &captured);
  const Walked first = walk_one(here, captured);
  for (const sampling::Frame& frame : first.frames)
    CHECK(std::ranges::count_if(first.functions,
                                [&](const Function& f) { return holds(f, frame); }) == 1);
  CHECK(first.functions.size() < first.frames.size());  // recursion
  const auto all = names_of(first);
  CHECK(has(all, "functions_depth"));
  CHECK(has(all, "main"));
  CHECK(has(all, "compmond::unwind::test::capture(unsigned long)"));
  functions_depth(1, &captured);
  CHECK(walk_one(here, captured).functions.empty());
}

TEST_CASE("functions: those that the child tells are the same, and a new child tells them again") {
  unwind::Unwinding here;
  auto child = unwind::ChildUnwinder::start();
  REQUIRE(child);
  tell_self(here);
  tell_self(*child);
  Captured captured;
  functions_depth(2, &captured);
  const Walked mine = walk_one(here, captured), theirs = walk_one(*child, captured);
  REQUIRE(mine.functions.size() > 5);
  REQUIRE(theirs.functions.size() == mine.functions.size());
  for (size_t i = 0; i < mine.functions.size(); ++i) {
    CHECK(theirs.functions[i].image == mine.functions[i].image);
    CHECK(theirs.functions[i].start == mine.functions[i].start);
    CHECK(theirs.functions[i].end == mine.functions[i].end);
    // It may have found separate debug files.
    if (!mine.functions[i].name.empty()) CHECK(theirs.functions[i].name == mine.functions[i].name);
  }
  CHECK(walk_one(*child, captured).functions.empty());
}

TEST_CASE("functions: the child names what a stripped file keeps packed") {
  const test::TempFolder folder;
  const std::string whole = test::built("plain.c"), path = folder / "stripped";
  test::strip_but("hidden_helper", whole, path);
  const auto image = test::image_of(whole);
  const elf::Symbol& hidden = test::only(image, "hidden_helper");
  const uint64_t offset = image.file_offset(hidden.vaddr).value();
  auto child = unwind::ChildUnwinder::start();
  REQUIRE(child);
  child->add({sampling::kFirstFile, path, 0, 0, {}},
             Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)));
  constexpr uint64_t kAt = 0x10000;
  child->map(1, {kAt, kAt + 4096, offset & ~uint64_t(4095), sampling::kFirstFile});
  Captured captured;
  captured.head.pid = 1;
  captured.reg(16) = kAt + offset % 4096;
  const Walked walked = walk_one(*child, captured);
  REQUIRE(walked.functions.size() == 1);
  CHECK(walked.functions[0].name == "hidden_helper");
  CHECK(walked.functions[0].start == hidden.vaddr);
  CHECK(child->take_notes().empty());
}

TEST_CASE("functions: code of no file, and of files that cannot be read, has none") {
  unwind::Images images;
  unwind::Functions functions(images);
  images.add(sampling::kFirstFile, "gone", Fd());
  const std::vector<sampling::Frame> frames = {{sampling::kNoImage, 0x1000},
                                               {sampling::kFirstFile, 0x1000},
                                               {sampling::kFirstFile, 0},
                                               {77, 0x1000}};
  std::vector<Function> out(3);
  functions.meet(frames, out);
  CHECK(out.empty());
}
