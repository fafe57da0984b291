// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <latch>
#include <set>
#include <thread>

#include "patched.h"

using namespace compmond;
using namespace compmond::inprocess;

namespace {

const std::string kNothing =
    own("f", ".byte 0x0f,0x1f,0x44,0,0,0x0f,0x1f,0x44,0,0,0x0f,0x1f,0x44,0,0; ret; .skip 8,0x90");
using Nothing = void();

// All that a function may find: general registers but %rsp, flags, vector registers.
using State = std::array<uint64_t, 15 + 1 + 2>;

// state(flags, out): calls f with the flags and registers full of numbers, and stores what they are
// then.
std::string state() {
  std::string set, got;
  const std::vector<std::string> names = {"rax", "rbx", "rcx", "rdx", "rbp", "r8",  "r9", "r10",
                                          "r11", "r12", "r13", "r14", "r15", "rsi", "rdi"};
  for (size_t i = 0; i < names.size(); ++i) {
    set += fmt::format("movabs ${:#x},%{}; ", 0x1111111111111111 * (i + 1), names[i]);
    got += fmt::format("mov %{},{}(%rip); ", names[i], fmt::format("kept+{}", 8 * i));
  }
  return ".text\nkept: .skip 256\n" +
         own("state",
             "push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15; push %rsi; "
             "movq %rdi,%xmm0; push %rdi; popfq; " +
                 set + "call f; " + got +
                 "pushfq; pop %rax; mov %rax,kept+120(%rip); movups %xmm0,kept+128(%rip); "
                 "pop %rdi; lea kept(%rip),%rsi; mov $18,%ecx; cld; rep movsq; "
                 "pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx; ret");
}

std::atomic<Nothing*> called;
volatile sig_atomic_t interrupted;

void call(int) {
  interrupted = interrupted + 1;
  (*called.load())();
}

}  // namespace

TEST_CASE("recorder: it changes no register and no flag") {
  Patched code(kNothing + state());
  auto* const f = code.get<void(uint64_t flags, State*)>("state");
  std::vector<State> before, after;
  for (std::vector<State>* out : {&before, &after}) {
    for (unsigned bits = 0; bits < 64; ++bits) {
      uint64_t flags = 0x202;  // carry, parity, adjust, zero, sign, overflow
      for (unsigned i = 0; const unsigned flag : {0u, 2u, 4u, 6u, 7u, 11u})
        if (bits >> i++ & 1) flags |= uint64_t(1) << flag;
      out->emplace_back();
      f(flags, &out->back());
      CHECK(out->back()[15] == flags);
    }
    code.patch();
  }
  CHECK(before == after);
  CHECK(code.records(uint32_t(::gettid())).size() == 128);
}

TEST_CASE("recorder: it has room before the first trampoline") {
  CHECK(recorder({}).size() <= 576);
}

TEST_CASE("recorder: values of registers are told of before their call's entry, and stay") {
  const std::vector<uint8_t> arguments = {7, 6, 2, 1, 8, 9};   // as numbered in instructions
  const std::vector<uint64_t> numbers = {15, 14, 4, 3, 6, 7};  // as state() fills them
  Patched code(kNothing + state(), {"f"}, {.values = arguments});
  auto* const f = code.get<void(uint64_t flags, State*)>("state");
  State before, after;
  f(0x202, &before);
  code.patch();
  f(0x202, &after);
  CHECK(before == after);
  const auto records = code.records(uint32_t(::gettid()));
  REQUIRE(records.size() == arguments.size() + 2);
  for (size_t i = 0; i < arguments.size(); ++i) {
    CHECK(records[i].site == i + 1);
    CHECK(records[i].sp == 0x1111111111111111 * numbers[i]);
    CHECK(code.trampolines().sites()[i].kind == Site::Kind::kValue);
  }
  CHECK(records[6].sp == records[7].sp);
}

TEST_CASE("recorder: a thread has its own records, and what finds no room is counted") {
  Patched code(kNothing, {"f"}, {.threads = 1, .ring = 1024});  // 16 threads, in all
  code.patch();
  constexpr size_t kThreads = 40, kCalls = 500;
  std::latch all(kThreads);
  std::vector<std::jthread> threads;
  for (size_t i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      (*code.get<Nothing>("f"))();  // claims, while all others do
      all.arrive_and_wait();
      for (size_t k = 1; k < kCalls; ++k) (*code.get<Nothing>("f"))();
    });
  threads.clear();
  std::set<uint32_t> tids;
  for (const ThreadRecords& one : code.threads()) {
    CHECK(one.begun == 2 * kCalls);
    tids.insert(one.tid);
  }
  CHECK(tids.size() == 16);
  CHECK(code.shared.without == 2 * kCalls * (kThreads - 16));
  CHECK(code.shared.claims == 16);
}

TEST_CASE("recorder: what a thread gave back is another one's") {
  Patched code(kNothing, {"f"}, {.threads = 1, .ring = 1024});
  code.patch();
  const auto call = [&] { std::jthread([&] { (*code.get<Nothing>("f"))(); }); };
  for (int i = 0; i < 16; ++i) call();
  call();
  CHECK(code.shared.without == 2);
  code.threads()[3].tid = 0;
  call();
  CHECK(code.threads()[3].begun == 4);
  CHECK(code.shared.without == 2);
  code.threads()[2].tid = 0;  // before one's own in the order of search: it is not taken beside it
  std::jthread([&] {
    (*code.get<Nothing>("f"))();
    code.threads()[1].tid = 0;
    (*code.get<Nothing>("f"))();
  });
  CHECK(code.threads()[2].begun == 6);
  CHECK(code.threads()[1].begun == 2);
  CHECK(code.shared.claims == 18);
}

TEST_CASE("recorder: above the limit nothing is written, and that is counted") {
  Patched code(kNothing);
  code.patch();
  (*code.get<Nothing>("f"))();
  ThreadRecords& own = code.thread(uint32_t(::gettid()));
  own.limit = 3;
  for (int i = 0; i < 3; ++i) (*code.get<Nothing>("f"))();
  CHECK(own.begun == 3);
  CHECK(own.dropped == 5);
  CHECK(reinterpret_cast<const Record*>(own.ring)[3].site == 0);
  own.limit = 100;
  (*code.get<Nothing>("f"))();
  CHECK(own.begun == 5);
}

TEST_CASE("recorder: a signal handler may come anywhere, and record") {
  Patched code(kNothing, {"f"}, {.threads = 64, .ring = 1 << 14});
  code.patch();
  called = code.get<Nothing>("f");
  interrupted = 0;
  struct sigaction action = {}, before = {};
  action.sa_handler = call;
  ::sigaction(SIGPROF, &action, &before);
  const itimerval often = {{0, 1000}, {0, 1000}}, never = {};
  uint64_t calls = 0;
  ThreadRecords* own = nullptr;
  ::setitimer(ITIMER_PROF, &often, nullptr);
  while (interrupted < 50) {
    for (int i = 0; i < 1000; ++i) (*called.load())();
    calls += 1000;
    if (own) continue;
    own = &code.thread(uint32_t(::gettid()));
  }
  ::setitimer(ITIMER_PROF, &never, nullptr);
  ::sigaction(SIGPROF, &before, nullptr);
  calls += uint64_t(interrupted);
  CHECK(own->begun == 2 * calls);
  CHECK(code.begun() == 2 * calls);
  const auto* ring = reinterpret_cast<const Record*>(own->ring);
  const uint64_t kept = std::min<uint64_t>(own->begun, 1 << 14);
  CHECK(std::all_of(ring, ring + kept,
                    [](const Record& one) { return one.site == 1 || one.site == 2; }));
}
