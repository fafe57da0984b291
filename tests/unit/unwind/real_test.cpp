// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <tuple>

#include "captured.h"
#include "elf/elf_file.h"
#include "elf/frame_table.h"
#include "elf/image.h"
#include "unwind/module.h"
#include "unwind/unwinding.h"

// Stacks of this very program, with whatever C library the system has.
using namespace compmond;
using namespace compmond::unwind::test;
using sampling::Ended;
using sampling::Walked;

namespace {

unwind::Unwinding& self() {
  static unwind::Unwinding unwinding;
  static const auto told = tell_self(unwinding);
  return unwinding;
}

Walked unwound(const Captured& captured) { return walk_one(self(), captured); }

bool holds(const void* function, uint64_t address, uint64_t size = 4096) {
  return address - reinterpret_cast<uint64_t>(function) < size;
}

size_t count(const std::vector<std::string>& all, const std::string& one) {
  return size_t(std::ranges::count(all, one));
}

// What call frame information describes, as room elf reads it.
std::vector<elf::FrameExtent> frames_of(const Fd& file, const std::string& path) {
  const auto elf_file = elf::ElfFile::open(file.get(), path);
  REQUIRE(elf_file.has_value());
  const elf::Section* section = elf_file->section(".eh_frame");
  REQUIRE(section);
  const auto bytes = elf_file->bytes(*section, section->header.sh_size);
  REQUIRE(bytes.has_value());
  return elf::read_eh_frame(*bytes, section->header.sh_addr);
}

bool is_in(const std::vector<elf::FrameExtent>& frames, uint64_t vaddr) {
  const auto behind = std::ranges::upper_bound(frames, vaddr, {}, &elf::FrameExtent::vaddr);
  return behind != frames.begin() && vaddr - std::prev(behind)->vaddr < std::prev(behind)->size;
}

}  // namespace

// Named in the program's dynamic symbols.
extern "C" {
Captured g_captured;
std::vector<void*> g_backtrace;
volatile int g_sink;

[[gnu::noinline, gnu::used]] void unwind_innermost(size_t bytes) {
  g_captured = capture(bytes);
  g_backtrace.resize(200);
  g_backtrace.resize(size_t(::backtrace(g_backtrace.data(), int(g_backtrace.size()))));
  g_sink = g_sink + 1;
}
[[gnu::noinline, gnu::used]] int unwind_middle(int depth, size_t bytes) {
  if (depth == 0)
    unwind_innermost(bytes);
  else
    unwind_middle(depth - 1, bytes);
  g_sink = g_sink + 1;
  return g_sink;
}
[[gnu::noinline, gnu::used]] int unwind_compare(const void* a, const void* b) {
  if (g_captured.stack.empty()) unwind_innermost(CM_STACK_BYTES);
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}
[[gnu::noinline, gnu::used]] void unwind_handler(int) { unwind_innermost(CM_STACK_BYTES); }
}

TEST_CASE("real stacks: nested functions are those that backtrace sees, to the first") {
  unwind_middle(3, CM_STACK_BYTES);
  const Walked walked = unwound(g_captured);
  CHECK(walked.ended == Ended::kComplete);
  const auto where = addresses(walked);
  // Both go on alike from whoever called unwind_innermost.
  const auto mine = std::ranges::find_if(
      where, [](uint64_t a) { return holds(reinterpret_cast<void*>(unwind_innermost), a, 1024); });
  REQUIRE(mine != where.end());
  const std::vector<uint64_t> rest(mine + 1, where.end());
  REQUIRE(rest.size() > 5);
  std::vector<uint64_t> theirs;  // a sanitizer's backtrace() is itself among them
  for (void* address : g_backtrace) theirs.push_back(reinterpret_cast<uint64_t>(address) - 1);
  theirs.erase(theirs.begin(), std::ranges::find(theirs, rest[0]));
  CHECK(rest == theirs);
  CHECK(walked.stack_top > g_captured.reg(7));
}

TEST_CASE("real stacks: a stack that is cut at the top found before is complete again") {
  unwind_middle(1, CM_STACK_BYTES);
  const Walked before = unwound(g_captured);
  REQUIRE(before.ended == Ended::kComplete);
  g_captured.stack.resize(before.stack_top - g_captured.reg(7));
  const Walked again = unwound(g_captured);
  CHECK(again.ended == Ended::kComplete);
  CHECK(again.frames == before.frames);
  g_captured.stack.resize(g_captured.stack.size() - 64);
  CHECK(unwound(g_captured).ended == Ended::kTruncated);
}

TEST_CASE("real stacks: deeper than what was copied is truncated, with its inner frames") {
  unwind_middle(300, 4096);
  const Walked walked = unwound(g_captured);
  CHECK(walked.ended == Ended::kTruncated);
  CHECK(walked.stack_top == 0);
  CHECK(count(names(walked), "unwind_middle") > 20);
}

TEST_CASE("real stacks: a callback out of the C library") {
  g_captured = {};
  std::array<int, 8> numbers{5, 3, 8, 1, 9, 2, 7, 4};
  std::qsort(numbers.data(), numbers.size(), sizeof numbers[0], unwind_compare);
  const Walked walked = unwound(g_captured);
  CHECK(walked.ended == Ended::kComplete);
  const auto all = names(walked);
  CHECK(count(all, "unwind_compare") == 1);
  const auto compare = std::ranges::find(all, "unwind_compare") - all.begin();
  REQUIRE(size_t(compare) + 1 < all.size());
  // Called from another file (of a sanitizer, where that has a qsort of its own).
  CHECK(walked.frames[size_t(compare) + 1].image != walked.frames[size_t(compare)].image);
}

TEST_CASE("real stacks: through a signal's frame to what it interrupted") {
  ::signal(SIGUSR2, unwind_handler);
  ::raise(SIGUSR2);
  ::signal(SIGUSR2, SIG_DFL);
  const Walked walked = unwound(g_captured);
  CHECK(walked.ended == Ended::kComplete);
  const auto all = names(walked);
  CHECK(count(all, "unwind_handler") == 1);
  const auto handler = std::ranges::find(all, "unwind_handler");
  const bool raised = std::any_of(handler, all.end(), [](const std::string& name) {
    return name == "raise" || name == "gsignal";
  });
  CHECK(raised);  // interrupted, outside of the handler
}

TEST_CASE("real stacks: a handler on a stack of its own: what it interrupted is not at hand") {
  std::vector<char> other(256 << 10);
  const stack_t stack{.ss_sp = other.data(), .ss_flags = 0, .ss_size = other.size()};
  stack_t before{};
  REQUIRE(::sigaltstack(&stack, &before) == 0);
  struct sigaction action {
  }, old{};
  // The bytes of that stack alone, whose end is not the thread's.
  action.sa_handler = [](int) { unwind_innermost(2048); };
  action.sa_flags = SA_ONSTACK;
  ::sigaction(SIGUSR2, &action, &old);
  ::raise(SIGUSR2);
  ::sigaction(SIGUSR2, &old, nullptr);
  ::sigaltstack(&before, nullptr);
  const Walked walked = unwound(g_captured);
  CHECK(walked.ended == Ended::kTruncated);
  CHECK(count(names(walked), "unwind_innermost") == 1);
}

TEST_CASE("real stacks: while an exception passes, from within the unwinder's callback") {
  struct Destroyed {
    ~Destroyed() { unwind_innermost(CM_STACK_BYTES); }
  };
  const auto thrower = [](int depth, const auto& again) -> int {
    const Destroyed destroyed;
    if (depth == 0) throw depth;
    return again(depth - 1, again);
  };
  try {
    thrower(2, thrower);
  } catch (int) {
  }
  CHECK(unwound(g_captured).ended == Ended::kComplete);
}

TEST_CASE("real stacks: a thread ends at its first function") {
  Captured captured;
  std::thread([&] { captured = capture(); }).join();
  const Walked walked = unwound(captured);
  CHECK(walked.ended == Ended::kComplete);
  CHECK(walked.frames.size() > 3);
}

namespace {

// Steps this thread one instruction at a time over `work`, and unwinds after each.
struct Stepped {
  size_t all = 0, complete = 0;
  std::map<std::string, size_t> not_complete;  // by the first frame
  bool in_vdso = false;
  std::set<std::vector<uint64_t>> callers;  // the outermost frames, which all have in common
};
std::vector<Captured>* g_steps;
void on_step(int, siginfo_t*, void* context) {
  if (g_steps->size() < 20'000) g_steps->push_back(captured_of(context));
}

constexpr size_t kCommon = 6;  // main and what calls it, and the test around `work`

Stepped stepped(void (*work)()) {
  std::vector<Captured> steps;
  steps.reserve(20'000);
  g_steps = &steps;
  struct sigaction action {
  }, before{};
  action.sa_sigaction = on_step;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGTRAP, &action, &before);
  asm volatile("sub $128, %%rsp; pushf; orl $0x100, (%%rsp); popf; add $128, %%rsp" ::
                   : "cc", "memory");
  work();
  asm volatile("sub $128, %%rsp; pushf; andl $~0x100, (%%rsp); popf; add $128, %%rsp" ::
                   : "cc", "memory");
  ::sigaction(SIGTRAP, &before, nullptr);
  Stepped out;
  for (const Captured& step : steps) {
    const Walked walked = unwound(step);
    ++out.all;
    if (walked.ended == Ended::kComplete)
      ++out.complete;
    else
      ++out.not_complete[std::to_string(walked.frames[0].image) + " at " +
                         std::to_string(walked.frames[0].vaddr)];
    const auto where = addresses(walked);
    if (where.size() > kCommon) out.callers.insert({where.end() - kCommon, where.end()});
    out.in_vdso |= walked.frames[0].image == sampling::kVdso;
  }
  return out;
}

}  // namespace

TEST_CASE("real stacks: complete at every single instruction of the linkage table, libc and vDSO") {
  static std::array<int, 16> numbers;
  const Stepped out = stepped([] {
    numbers = {5, 3, 8, 1, 9, 2, 7, 4, 11, 15, 12, 14, 13, 10, 6, 0};
    std::qsort(numbers.data(), numbers.size(), sizeof(int), [](const void* a, const void* b) {
      return *static_cast<const int*>(a) - *static_cast<const int*>(b);
    });
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    char text[64];
    g_sink = ::snprintf(text, sizeof text, "%d %s %f", 42, "words", 2.5);
    g_sink = int(std::strlen(text));  // nothing that takes memory: each step does
  });
  CHECK(out.all > 2000);
  CHECK(out.in_vdso);
  CHECK(out.callers.size() == 1);
  for (const auto& [where, times] : out.not_complete) MESSAGE(where << " " << times);
  CHECK(out.complete == out.all);
}

TEST_CASE("real stacks: the rows of the C library can be decoded, at 98 of 100 addresses") {
  const std::string path = "/usr/lib/x86_64-linux-gnu/libc.so.6";
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE(file.valid());
  const auto image = elf::Image::open(Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), path);
  auto module = unwind::Module::open(file, path);
  REQUIRE(image.has_value());
  REQUIRE(module.has_value());
  const std::vector<elf::FrameExtent> frames = frames_of(file, path);
  size_t all = 0, known = 0, wrong = 0;
  for (const auto& range : image->text())
    for (uint64_t vaddr = range.vaddr; vaddr < range.vaddr + range.size; vaddr += 97) {
      const bool has_row = module->row_at(vaddr).kind != unwind::Row::Kind::kUnknown;
      const bool described = is_in(frames, vaddr);
      std::vector<uint8_t> code = image->code(vaddr, 1).value();
      const bool filler = !described && (code[0] == 0x90 || code[0] == 0 || code[0] == 0x0f ||
                                         code[0] == 0x1f || code[0] == 0x66 || code[0] == 0x2e ||
                                         code[0] == 0x84 || code[0] == 0x44 || code[0] == 0x40);
      all += !filler;
      known += has_row;
      wrong += has_row != described;
    }
  MESSAGE(all << " addresses that are no filler, " << known << " with a row");
  CHECK(all > 10'000);
  CHECK(known * 100 >= all * 98);
  CHECK(wrong == 0);  // as room elf reads the table
}

TEST_CASE("real stacks: rows of the C library are the same in whichever order they are asked for") {
  const std::string path = "/usr/lib/x86_64-linux-gnu/libc.so.6";
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE(file.valid());
  const auto rows_of = [&](std::vector<uint64_t> addresses) {
    auto module = unwind::Module::open(file, path);
    REQUIRE(module.has_value());
    std::map<uint64_t, std::tuple<int, bool, int, int, decltype(unwind::Row::at)>> out;
    for (const uint64_t vaddr : addresses) {
      const unwind::Row row = module->row_at(vaddr);
      out[vaddr] = {int(row.kind), row.signal, row.cfa_register, row.cfa_offset, row.at};
    }
    return out;
  };
  std::vector<uint64_t> addresses;
  for (const elf::FrameExtent& frame : frames_of(file, path))
    for (uint64_t vaddr = frame.vaddr;
         vaddr < frame.vaddr + frame.size && addresses.size() < 60'000; vaddr += 5)
      addresses.push_back(vaddr);
  CHECK(addresses.size() > 20'000);
  const auto upwards = rows_of(addresses);
  std::ranges::reverse(addresses);
  CHECK(rows_of(addresses) == upwards);
  std::ranges::shuffle(addresses, std::mt19937_64(1));
  CHECK(rows_of(addresses) == upwards);
}
