// SPDX-License-Identifier: Apache-2.0
#include "guard/child.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "captured.h"
#include "core/limits.h"
#include "unwind/child_unwinder.h"
#include "unwind/unwinding.h"

using namespace compmond;
using namespace compmond::unwind::test;
using sampling::Ended;
using sampling::Walked;
using unwind::ChildUnwinder;

namespace {

ChildUnwinder started() {
  auto out = ChildUnwinder::start();
  if (!out) FAIL(out.error().text());
  return std::move(*out);
}

std::vector<Walked> walk_all(sampling::Unwinder& unwinder, const std::vector<Captured>& all) {
  std::vector<sampling::RawSample> raw;
  for (const Captured& one : all) raw.push_back(one.raw());
  std::vector<Walked> out;
  unwinder.walk(raw, [&](size_t index, const Walked& walked) {
    CHECK(index == out.size());
    out.push_back(walked);
  });
  CHECK(out.size() == all.size());
  return out;
}

// The process that the zygote made last.
pid_t child_of_zygote() {
  const std::string self = std::to_string(::getpid());
  std::ifstream zygotes("/proc/self/task/" + self + "/children");
  for (std::string zygote; zygotes >> zygote;) {
    std::ifstream name("/proc/" + zygote + "/comm");
    std::string text;
    std::getline(name, text);
    if (text != "compmond-unwind") continue;
    std::ifstream children("/proc/" + zygote + "/task/" + zygote + "/children");
    pid_t child = 0;
    if (children >> child) return child;
  }
  return 0;
}

}  // namespace

TEST_CASE("child unwinder: unwinds as the same code does in this process") {
  ChildUnwinder child = started();
  unwind::Unwinding here;
  tell_self(child);
  tell_self(here);
  std::vector<Captured> all;
  for (int i = 0; i < 300; ++i) all.push_back(capture());  // more than one request holds
  const auto mine = walk_all(here, all), theirs = walk_all(child, all);
  for (size_t i = 0; i < all.size(); ++i) {
    REQUIRE(theirs[i].ended == Ended::kComplete);
    REQUIRE(theirs[i].frames == mine[i].frames);
    REQUIRE(theirs[i].stack_top == mine[i].stack_top);
  }
  CHECK(child.take_notes().empty());
}

TEST_CASE("child unwinder: return addresses that probes took go along with their stack") {
  ChildUnwinder child = started();
  tell_self(child);
  Captured captured = capture();
  const Walked plain = walk_one(child, captured);
  REQUIRE(plain.ended == Ended::kComplete);
  // As probes on the functions would leave them.
  const std::vector<uint64_t> callers = addresses(plain);
  const uint64_t sp = captured.reg(unwind::kRsp);
  size_t caller = 1;
  for (size_t at = 0; at + 8 <= captured.stack.size() && caller < callers.size(); at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, &captured.stack[at], sizeof word);
    if (word != callers[caller] + 1) continue;
    captured.returns.push_back({sp + at, word});
    word = 0x7fffffffe000;
    std::memcpy(&captured.stack[at], &word, sizeof word);
    ++caller;
  }
  REQUIRE(captured.returns.size() > 2);
  CHECK(walk_one(child, captured).frames == plain.frames);
  captured.returns.resize(10'000, {1, 1});  // more than there can be
  CHECK(walk_one(child, captured).frames == plain.frames);
  captured.returns.clear();
  CHECK(walk_one(child, captured).ended == Ended::kBroken);
  CHECK(child.take_notes().empty());
}

TEST_CASE("child unwinder: one that is killed is replaced by one that knows as much") {
  ChildUnwinder child = started();
  tell_self(child);
  Captured captured = capture();
  child.fork(1, 2);
  CHECK(walk_one(child, captured).ended == Ended::kComplete);
  const pid_t pid = child_of_zygote();
  REQUIRE(pid > 0);
  REQUIRE(::kill(pid, SIGKILL) == 0);
  // Which stack was at fault is not known: one of them may be given up.
  const auto walked = walk_all(child, {captured, captured, captured});
  CHECK(std::ranges::count(walked, Ended::kComplete, &Walked::ended) >= 2);
  CHECK(child_of_zygote() != pid);
  const auto notes = child.take_notes();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].find("SIGKILL") != std::string::npos);
  CHECK(child.take_notes().empty());
  captured.head.pid = 2;
  CHECK(walk_one(child, captured).ended == Ended::kComplete);
  child.forget(2);
  CHECK(walk_one(child, captured).ended == Ended::kBroken);
}

TEST_CASE("child unwinder: code that a process makes is named, by the next child elsewhere") {
  ChildUnwinder child = started();
  const Fd perf_map(::memfd_create("perf map", MFD_CLOEXEC));
  const std::string_view text = "5000 10 one\n5010 10 t\033wo\nnothing\n";
  REQUIRE(::write(perf_map.get(), text.data(), text.size()) == ssize_t(text.size()));
  child.map(7, {0x5000, 0x6000, 0, sampling::kNoImage});
  child.name_code(7, 33, perf_map);
  child.fork(7, 8);
  Captured captured = capture();
  const auto look = [&](uint32_t pid, uint64_t pc) {
    captured.head.pid = pid;
    captured.reg(unwind::kPc) = pc;
    return walk_one(child, captured);
  };
  const Walked first = look(8, 0x5004);
  REQUIRE(first.functions.size() == 1);
  CHECK(first.functions[0].name == "one");
  CHECK(first.frames[0] == sampling::Frame{33, first.functions[0].start + 4});
  const auto notes = child.take_notes();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0] ==
        "the perf map of process 8: 1 of its first 3 lines name no code and are left out");
  REQUIRE(::kill(child_of_zygote(), SIGKILL) == 0);
  (void)look(7, 0x5004);
  const Walked second = look(7, 0x5018);
  REQUIRE(second.functions.size() == 1);
  CHECK(second.functions[0].name.find('\033') == std::string::npos);
  CHECK(second.functions[0].start > first.functions[0].end);
  CHECK(child.take_notes().size() == 2);
}

TEST_CASE("child unwinder: one that stands still costs some seconds, and no more") {
  ChildUnwinder child = started();
  tell_self(child);
  const Captured captured = capture();
  CHECK(walk_one(child, captured).ended == Ended::kComplete);
  REQUIRE(::kill(child_of_zygote(), SIGSTOP) == 0);
  const auto walked = walk_all(child, {captured, captured});
  CHECK(walked[0].ended == Ended::kBroken);
  CHECK(walked[0].frames.size() == 1);
  CHECK(walked[1].ended == Ended::kComplete);
  CHECK(child.take_notes().size() == 1);
}

TEST_CASE("child unwinder: after too many are lost, stacks are broken and nothing waits") {
  ChildUnwinder child = started();
  tell_self(child);
  const Captured captured = capture();
  for (int i = 0; i < ChildUnwinder::kChildren; ++i) {
    REQUIRE(::kill(child_of_zygote(), SIGKILL) == 0);
    (void)walk_one(child, captured);
  }
  CHECK(child.take_notes().size() == ChildUnwinder::kChildren + 1);
  const Walked walked = walk_one(child, captured);
  CHECK(walked.ended == Ended::kBroken);
  CHECK(walked.frames.size() == 1);
}

TEST_CASE("child unwinder: a process with more mappings than are kept is told of, once") {
  ChildUnwinder child = started();
  const auto map_more = [&](uint64_t from, uint64_t count) {
    for (uint64_t i = from; i < from + count; ++i) child.map(9, {16 * i, 16 * i + 8, 0, 3});
  };
  map_more(0, limits::kMappings);
  CHECK(child.take_notes().empty());
  map_more(limits::kMappings, 2);
  const auto notes = child.take_notes();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].starts_with("process 9 has mapped code more often than the 65,536 times"));
}

TEST_CASE("child unwinder: a file that ends the child is given up, and the others are not") {
  // A program that becomes shorter after it was opened: reading its mapped pages is a fault.
  const auto path = std::filesystem::temp_directory_path() / "compmond-unwind-shrinks";
  std::filesystem::copy_file("/proc/self/exe", path,
                             std::filesystem::copy_options::overwrite_existing);
  const Fd file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  REQUIRE(file.valid());
  ChildUnwinder child = started();
  const auto numbers = tell_self(child);
  const Captured captured = capture();
  // A copy of this program, mapped elsewhere by another process.
  sampling::Image image;
  image.number = 1000;
  image.path = path;
  child.add(image, file);
  child.map(7, {0x400000, 0x40000000, 0, 1000});
  Captured other = captured;
  other.head.pid = 7;
  other.reg(16) = 0x400000 + 0x40000;
  (void)walk_one(child, other);
  REQUIRE(child.take_notes().empty());
  REQUIRE(::ftruncate(file.get(), 8192) == 0);
  other.reg(16) += 0x40000;
  const auto walked = walk_all(child, {captured, other, captured});
  CHECK(walked[0].ended == Ended::kComplete);
  CHECK(walked[1].ended == Ended::kBroken);
  CHECK(walked[2].ended == Ended::kComplete);
  const auto notes = child.take_notes();
  REQUIRE(notes.size() >= 1);
  CHECK(notes[0].find(path.string()) != std::string::npos);
  if (!guard::kSanitized) CHECK(notes[0].find("SIGBUS") != std::string::npos);
  std::filesystem::remove(path);
}

TEST_CASE("child unwinder: frames in a file that is not there end a stack, with what is known") {
  ChildUnwinder child = started();
  sampling::Image image;
  image.number = 5;
  image.path = "/not/there";
  child.add(image, Fd());
  child.map(1, {0x1000, 0x7ffffffff000, 0, 5});
  const Walked walked = walk_one(child, capture());
  CHECK(walked.ended == Ended::kBroken);
  REQUIRE(walked.frames.size() == 1);
  CHECK(walked.frames[0] == sampling::Frame{5, 0});
}

TEST_CASE("child unwinder: it works on from a thread, and no stack stays where it was laid") {
  ChildUnwinder child = started();
  tell_self(child);
  std::thread([&] {
    Captured captured = capture();
    std::memcpy(captured.stack.data() + captured.stack.size() - 16, "a secret of ours", 16);
    CHECK(walk_one(child, captured).frames.size() > 1);
  }).join();
  std::ifstream maps("/proc/self/maps");
  size_t found = 0;
  for (std::string line; std::getline(maps, line);) {
    if (line.find("/dev/zero") == std::string::npos) continue;  // memory that is shared
    uint64_t start = 0, end = 0;
    REQUIRE(std::sscanf(line.c_str(), "%lx-%lx", &start, &end) == 2);
    const std::string_view bytes(reinterpret_cast<const char*>(start), end - start);
    found += 1;
    CHECK(bytes.find("a secret of ours") == std::string_view::npos);
  }
  CHECK(found > 0);
}
