// SPDX-License-Identifier: Apache-2.0
#include "patient/patient.h"

#include <sys/ptrace.h>

#include <map>

#include "working.h"

using namespace compmond;
using namespace compmond::inprocess;
using namespace compmond::inprocess::test;

extern "C" {
__attribute__((noinline, used)) long patient_inner(long value) {
  long out = value;
  for (int i = 0; i < 20; ++i) out = out * 31 + i;
  return out;
}
__attribute__((noinline, used)) long patient_outer(long value) {
  const long first = patient_inner(value);
  return first + patient_inner(value + 1);
}
}

namespace {

class Mapped {
 public:
  Mapped(const Fd& file, size_t size) : size_(size) {
    at_ = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    REQUIRE(at_ != MAP_FAILED);
  }
  ~Mapped() { ::munmap(at_, size_); }
  std::span<std::byte> bytes() const { return {static_cast<std::byte*>(at_), size_}; }

 private:
  void* at_;
  size_t size_;
};

// Of one thread: each call is within its caller's, and none is missing.
struct Nesting : record::EventSink {
  void on_thread(record::ThreadId, const record::ThreadInfo&) override { ++threads; }
  void on_events(record::ThreadId, std::span<const record::Event> events) override {
    for (const record::Event& event : events) {
      if (event.kind == record::EventKind::kLoss) {
        open.clear();
        lost += event.arg;
        continue;
      }
      ++all;
      wrong += event.time_ns < last_ns;
      last_ns = event.time_ns;
      if (event.kind == record::EventKind::kEntry) {
        open.push_back(event);
        continue;
      }
      if (open.empty()) continue;
      wrong += open.back().op != event.op || open.back().sp != event.sp;
      open.pop_back();
    }
  }
  std::vector<record::Event> open;
  uint64_t all = 0, wrong = 0, lost = 0, last_ns = 0;
  int threads = 0;
};

RingReader reader_of(const Mapped& memory, pid_t pid) {
  return RingReader({.memory = memory.bytes(), .layout = kLayout, .who = [pid](uint32_t tid) {
                       return std::optional(
                           record::ThreadInfo{.pid = uint32_t(pid), .tid = tid, .name = {}});
                     }});
}

}  // namespace

TEST_CASE("patient: it tells of each call, and is as before in the end" *
          doctest::skip(::geteuid() != 0)) {
  const Child child(work_forever);
  child.turns(100);
  const std::string before = maps_of(child.pid());
  Own own;
  const auto functions = own.functions();
  auto patient = Patient::open(child.pid(), kLayout);
  REQUIRE_MESSAGE(patient, (patient ? "" : patient.error().text()));
  const auto file = patient->shared();
  REQUIRE_MESSAGE(file, (file ? "" : file.error().text()));
  const Mapped memory(*file, kLayout.size());
  RingReader reader = reader_of(memory, child.pid());
  reader.add_sites(own.sites);
  Nesting seen;
  for (int round = 0; round < 3; ++round) {
    const auto refused = patient->patch(functions);
    REQUIRE_MESSAGE(refused, (refused ? "" : refused.error().text()));
    CHECK(refused->empty());
    const uint64_t had = seen.all;
    for (const uint64_t until = shared->turns + 20'000; shared->turns < until;) reader.drain(seen);
    const std::vector<uint32_t> both{0, 1};
    const auto back = patient->put_back(both);
    REQUIRE_MESSAGE(back, (back ? "" : back.error().text()));
    reader.drain(seen);
    CHECK(seen.all + seen.lost - had >= 6 * 20'000);
    seen.open.clear();  // what was running then is not seen to end
  }
  CHECK(seen.threads == 1);
  CHECK(seen.wrong == 0);
  CHECK(reader.ledger().balanced());
  CHECK(shared->wrong == 0);
  const auto left = patient->leave();
  REQUIRE_MESSAGE(left, (left ? "" : left.error().text()));
  CHECK(maps_of(child.pid()) == before);
  child.turns(100);
  CHECK(shared->wrong == 0);
}

namespace {

// Steps a child through so many instructions.
class Stepped {
 public:
  explicit Stepped(pid_t pid) : pid_(pid) {
    REQUIRE(::ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) == 0);
    REQUIRE(::ptrace(PTRACE_INTERRUPT, pid, nullptr, nullptr) == 0);
    REQUIRE(::waitpid(pid, nullptr, __WALL) == pid);
  }
  ~Stepped() { ::ptrace(PTRACE_DETACH, pid_, nullptr, nullptr); }
  user_regs_struct next() const {
    user_regs_struct out{};
    REQUIRE(::ptrace(PTRACE_SINGLESTEP, pid_, nullptr, nullptr) == 0);
    REQUIRE(::waitpid(pid_, nullptr, __WALL) == pid_);
    REQUIRE(::ptrace(PTRACE_GETREGS, pid_, nullptr, &out) == 0);
    return out;
  }
  uint64_t word(uint64_t at) const {
    return uint64_t(::ptrace(PTRACE_PEEKDATA, pid_, at, nullptr));
  }

 private:
  pid_t pid_;
};

}  // namespace

TEST_CASE(
    "patient: each instruction of ours stands for one of the process, with its stack pointer" *
    doctest::skip(::geteuid() != 0)) {
  constexpr int kSteps = 3000;  // some turns
  const Child child(work_forever);
  child.turns(100);
  std::map<uint64_t, uint64_t> stack_at;  // by instruction, as it was before
  {
    const Stepped stepped(child.pid());
    for (int i = 0; i < kSteps; ++i) {
      const user_regs_struct now = stepped.next();
      stack_at[now.rip] = now.rsp;
    }
  }
  Own own;
  auto patient = Patient::open(child.pid(), kLayout);
  REQUIRE_MESSAGE(patient, (patient ? "" : patient.error().text()));
  REQUIRE(patient->patch(own.functions()));
  sampling::MovedCodes codes;
  codes.set(1, patient->moved_code());
  int called = 0, moved = 0;
  {
    const Stepped stepped(child.pid());
    for (int i = 0; i < kSteps; ++i) {
      const user_regs_struct now = stepped.next();
      uint64_t rip = now.rip, rsp = now.rsp;
      auto code = codes.find(1, rip);
      if (code && code->called) {
        rip = stepped.word(rsp + code->depth);
        rsp += code->depth + 8;
        code = codes.find(1, rip);
        REQUIRE(code);
        ++called;
      }
      if (!code) continue;
      ++moved;
      INFO(fmt::format("at {:x}, for {:x}", now.rip, code->original));
      REQUIRE(stack_at.contains(code->original));
      REQUIRE(stack_at[code->original] == rsp + code->depth);
    }
  }
  CHECK(called > 100);
  CHECK(moved > called);
  REQUIRE(patient->leave());
}

namespace {

// When it is told to (a signal of `signals`), forks one that does the same.
[[noreturn]] void work_and_fork() {
  for (long i = 0;; ++i) {
    if (shared->signals == 1) {
      shared->signals = 2;
      const pid_t own = ::fork();
      if (own > 0) shared->signals = uint64_t(own);
    }
    if (patient_outer(i) != expected_of(i)) ++shared->wrong;
    ++shared->turns;
  }
}

}  // namespace

TEST_CASE("patient: a fork has all that was written before, also what its parent knows no more" *
          doctest::skip(::geteuid() != 0)) {
  const Child child(work_and_fork);
  child.turns(100);
  Own own;
  const auto functions = own.functions();
  auto patient = Patient::open(child.pid(), kLayout);
  REQUIRE_MESSAGE(patient, (patient ? "" : patient.error().text()));
  REQUIRE(patient->patch(functions));
  shared->signals = 1;
  while (shared->signals <= 2) child.turns(10);
  const auto forked = pid_t(shared->signals.load());
  const std::vector<uint32_t> inner{0};
  REQUIRE(patient->put_back(inner));
  Patient::Function elsewhere = functions[0];
  elsewhere.file = {};  // as if its library were another one by now
  const auto refused = patient->patch(std::vector{elsewhere});
  REQUIRE(refused);
  REQUIRE(refused->size() == 1);
  CHECK(refused->front().unmapped);

  auto fork = patient->fork(forked);
  REQUIRE_MESSAGE(fork, (fork ? "" : fork.error().text()));
  const auto left = fork->leave();
  REQUIRE_MESSAGE(left, (left ? "" : left.error().text()));
  CHECK(maps_of(forked).find("/dev/zero") == maps_of(forked).rfind("/dev/zero"));  // Shared alone
  child.turns(1000);
  REQUIRE(patient->leave());
  child.turns(1000);
  CHECK_FALSE(maps_of(forked).empty());  // it lives
  CHECK(shared->wrong == 0);
  ::kill(forked, SIGKILL);
}

TEST_CASE("patient: where it stands in the address space nothing of the process can grow into it") {
  const AddressSpace space(
      "555555554000-555555556000 r--p 00000000 08:01 100 /bin/x\n"
      "555555556000-555555558000 r-xp 00002000 08:01 100 /bin/x\n"
      "555555559000-55555557a000 rw-p 00000000 00:00 0 [heap]\n"
      "7ffff7c00000-7ffff7e00000 r-xp 00000000 08:01 200 /lib/y.so\n"
      "7fffe7c00000-7fffe7e00000 r-xp 00000000 08:01 400 /lib/twice.so\n"
      "7fffe7f00000-7fffe8100000 r-xp 00000000 08:01 400 /lib/twice.so\n"
      "7ffffffde000-7ffffffff000 rw-p 00000000 00:00 0 [stack]\n");
  CHECK(space.is_twice({0x801, 400}, 0x10));
  CHECK_FALSE(space.is_twice({0x801, 200}, 0x10));
  const FileId program{0x801, 100}, library{0x801, 200};
  REQUIRE(space.address_of(program, 0x2010) == 0x555555556010);
  CHECK_FALSE(space.address_of(program, 0x10));
  CHECK_FALSE(space.address_of({0x801, 300}, 0x10));
  const auto near_program = space.place_near(0x555555556010, 1 << 20);
  REQUIRE(near_program);
  CHECK(*near_program + (1 << 20) < 0x555555554000);
  CHECK(*near_program > 0x555515554000);
  const auto near_library = space.place_near(0x7ffff7c00010, 1 << 20);
  REQUIRE(near_library);
  CHECK(*near_library + (1 << 20) < 0x7ffff7c00000);
  CHECK(space.address_of(library, 0) == 0x7ffff7c00000);
}

TEST_CASE("patient: a stack may lie in several parts of memory, and ends where none follows") {
  const AddressSpace space(
      "7fff00000000-7fff00001000 ---p 00000000 00:00 0\n"
      "7fff00001000-7fff00002000 rw-p 00000000 00:00 0\n"
      "7fff00002000-7fff00003000 rw-p 00000000 00:00 0\n"
      "7fff00003000-7fff00004000 rw-p 00000000 08:01 100 /bin/x\n"
      "7fff00005000-7fff00006000 rw-p 00000000 00:00 0\n"
      "7fff00006000-7fff00007000 ---p 00000000 00:00 0\n");
  constexpr uint64_t kFar = 1 << 20;
  CHECK(space.end_of_stack(0x7fff00001ff0, kFar) == 0x7fff00003000);
  CHECK(space.end_of_stack(0x7fff00001ff0, 8) == 0x7fff00002000);
  CHECK(space.end_of_stack(0x7fff00005010, kFar) == 0x7fff00006000);
  CHECK(space.end_of_stack(0x7fff00004010, kFar) == 0);
}

TEST_CASE("patient: near a program at a low address there is room above its heap") {
  const AddressSpace space(
      "00400000-00500000 r-xp 00000000 08:01 100 /bin/x\n"
      "00700000-00800000 rw-p 00000000 00:00 0 [heap]\n"
      "7ffff7c00000-7ffff7e00000 r-xp 00000000 08:01 200 /lib/y.so\n");
  const auto place = space.place_near(0x400010, 4 << 20);
  REQUIRE(place);
  CHECK(*place > 0x800000 + (100 << 20));
  CHECK(*place < (1u << 30) + (4 << 20));
}
