// SPDX-License-Identifier: Apache-2.0
#include "surgery/patching.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <thread>

#include "base/clock.h"
#include "child.h"
#include "code/memory.h"
#include "elf/image.h"
#include "patches/patcher.h"
#include "surgery/detour.h"
#include "surgery/stacks.h"
#include "trampolines/recorder.h"
#include "trampolines/recording.h"
#include "trampolines/trampolines.h"

using namespace compmond;
using namespace compmond::inprocess;

extern "C" {
__attribute__((noinline, used)) long surgery_inner(long value) {
  long out = value;
  for (int i = 0; i < 20; ++i) out = out * 31 + i;
  return out;
}
__attribute__((noinline, used)) long surgery_outer(long value) {
  const long first = surgery_inner(value);
  return first + surgery_inner(value + 1);
}
__attribute__((noinline, used, aligned(4096))) void surgery_slack() {
  __asm__ volatile(".skip 1024, 0x90");
}
}

namespace {

constexpr uint64_t kSecond = 1'000'000'000, kFar = 256 << 20, kCodeBytes = 1 << 16;
constexpr uint64_t kThreads = 16, kRing = 1 << 12;

struct Layout {
  ThreadRecords threads[kThreads + RECORDING_PROBES - 1];
  Recording recording;
  Record records[kThreads + RECORDING_PROBES - 1][kRing];
};

// The patches of this program's functions in a child of it.
class Operation {
 public:
  explicit Operation(pid_t pid)
      : pid_(pid), memory_(*ProcessMemory::open(pid)), image_(open_self()), patcher_(image_) {
    code_ = code::memory_of(image_);
    bias_ = uint64_t(&surgery_outer) - symbol("surgery_outer").vaddr;
    at_ = (uint64_t(&surgery_outer) + kFar) & ~uint64_t(4095);
    map();
    plan();
  }
  void patch() { REQUIRE(change(changes_, to_there()).empty()); }
  void put_back() {
    std::vector<CodeChange> back = changes_;
    std::ranges::reverse(back);
    for (CodeChange& one : back) std::swap(one.before, one.after);
    REQUIRE(change(back, {}).empty());
  }
  std::vector<uint32_t> change(const std::vector<CodeChange>& changes,
                               const std::vector<MovedPlace>& moved) {
    const auto done = change_code(pid_, memory_, changes, moved, end_of_stack());
    REQUIRE_MESSAGE(done, (done ? "" : done.error().text()));
    return *done;
  }
  void unmap() {
    Ranges own;
    own.add(at_, kCodeBytes);
    for (;; ::usleep(100)) {
      auto threads = StoppedThreads::stop(pid_, StoppedThreads::Which::kAll, kSecond);
      REQUIRE(threads);
      if (threads_in(*threads, memory_, own, end_of_stack()).value_or(1) > 0) continue;
      call(*threads, {{SYS_munmap, {at_, kCodeBytes}}, {SYS_munmap, {shared_at_, sizeof(Layout)}}});
      return;
    }
  }
  EndOfStack end_of_stack() const {
    return [pid = pid_](uint64_t sp) {
      std::ifstream maps(fmt::format("/proc/{}/maps", pid));
      for (std::string line; std::getline(maps, line);) {
        uint64_t start = 0, end = 0;
        if (std::sscanf(line.c_str(), "%lx-%lx", &start, &end) == 2 && sp >= start && sp < end)
          return end;
      }
      return uint64_t(0);
    };
  }
  const std::vector<CodeChange>& changes() const { return changes_; }
  Layout& layout() { return *layout_; }
  const ThreadRecords& records() const {
    const auto found = std::ranges::find(layout_->threads, uint32_t(pid_), &ThreadRecords::tid);
    REQUIRE(found != std::end(layout_->threads));
    return *found;
  }
  std::vector<uint8_t> text() const {
    std::vector<uint8_t> out(4096);
    REQUIRE(memory_.read(uint64_t(&surgery_outer) & ~uint64_t(4095), out));
    return out;
  }
  std::span<const Site> sites() const { return trampolines_->sites(); }

 private:
  static elf::Image open_self() {
    auto image =
        elf::Image::open(Fd(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC)), "/proc/self/exe");
    REQUIRE(image);
    return std::move(*image);
  }
  const elf::Symbol& symbol(const std::string& name) const {
    const auto found = std::ranges::find(image_.symbols(), name, &elf::Symbol::name);
    REQUIRE(found != image_.symbols().end());
    return *found;
  }
  std::vector<SystemCall> call(StoppedThreads& threads, std::vector<SystemCall> calls) {
    const auto done = make_calls(threads, threads.all()[0], memory_,
                                 {uint64_t(&surgery_slack) + 64, 512, 0x90}, calls);
    REQUIRE_MESSAGE(done, (done ? "" : done.error().text()));
    for (const SystemCall& one : calls) REQUIRE_FALSE(one.failed());
    return calls;
  }
  void map() {
    {
      auto threads = StoppedThreads::stop(pid_, StoppedThreads::Which::kAll, kSecond);
      REQUIRE(threads);
      const auto calls =
          call(*threads, {{SYS_mmap,
                           {at_, kCodeBytes, PROT_READ | PROT_EXEC,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, uint64_t(-1), 0}},
                          {SYS_mmap,
                           {0, sizeof(Layout), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, uint64_t(-1), 0}}});
      shared_at_ = calls[1].result;
    }
    const uint64_t end = (shared_at_ + sizeof(Layout) + 4095) & ~uint64_t(4095);
    const Fd file(::open(fmt::format("/proc/{}/map_files/{:x}-{:x}", pid_, shared_at_, end).c_str(),
                         O_RDWR | O_CLOEXEC));
    REQUIRE(file.valid());
    layout_ = static_cast<Layout*>(
        ::mmap(nullptr, sizeof(Layout), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0));
    REQUIRE(layout_ != MAP_FAILED);
    for (size_t i = 0; i < std::size(layout_->threads); ++i) {
      layout_->threads[i].ring =
          shared_at_ + offsetof(Layout, records) + i * sizeof(Record) * kRing;
      layout_->threads[i].limit = UINT64_MAX;
    }
  }
  void plan() {
    const auto recorder = inprocess::recorder({.tid_offset = 0x2d0,
                                               .threads = shared_at_ + offsetof(Layout, threads),
                                               .threads_mask = kThreads - 1,
                                               .ring_mask = kRing - 1,
                                               .shared = shared_at_ + offsetof(Layout, recording)});
    trampolines_.emplace(*code_, Trampolines::Place{bias_, at_ + 4096, at_});
    uint32_t number = 0;
    for (const char* name : {"surgery_inner", "surgery_outer"}) {
      const auto found = patcher_.plan(symbol(name));
      REQUIRE_MESSAGE(!found.refused(), found.refusal);
      const size_t before = trampolines_->writes().size();
      REQUIRE(trampolines_->add(number, found));
      for (size_t i = before; i < trampolines_->writes().size(); ++i) {
        const auto& write = trampolines_->writes()[i];
        CodeChange change{
            .at = write.at, .size = write.size, .after = write.bytes, .function = number};
        const auto original = code_->read(write.at - bias_, write.size);
        std::ranges::copy(original, change.before.begin());
        changes_.push_back(change);
      }
      ++number;
    }
    REQUIRE(memory_.write(at_, recorder));
    REQUIRE(memory_.write(at_ + 4096, trampolines_->code()));
  }
  std::vector<MovedPlace> to_there() const {
    std::vector<MovedPlace> out;
    for (const auto& twin : trampolines_->twins()) out.push_back({twin.original, twin.moved, 0});
    return out;
  }

  pid_t pid_;
  ProcessMemory memory_;
  elf::Image image_;
  Patcher patcher_;
  std::unique_ptr<code::Memory> code_;
  std::optional<Trampolines> trampolines_;
  uint64_t bias_ = 0, at_ = 0, shared_at_ = 0;
  Layout* layout_ = nullptr;
  std::vector<CodeChange> changes_;
};

long expected_of(long first) {
  long sum = 0;
  for (const long value : {first, first + 1}) {
    long out = value;
    for (int k = 0; k < 20; ++k) out = out * 31 + k;
    sum += out;
  }
  return sum;
}

[[noreturn]] void work_forever() {
  for (long i = 0;; ++i) {
    if (surgery_outer(i) != expected_of(i)) ++shared->wrong;
    ++shared->turns;
  }
}

}  // namespace

TEST_CASE("surgery: functions of a running process tell of their calls, and are as before" *
          doctest::skip(::geteuid() != 0)) {
  const Child child(work_forever);
  child.turns(1000);
  Operation operation(child.pid());
  const std::vector<uint8_t> before = operation.text();
  for (int i = 0; i < 20; ++i) {
    const uint64_t begun = i == 0 ? 0 : operation.records().begun;
    operation.patch();
    CHECK(operation.text() != before);
    child.turns(5000);
    operation.put_back();
    CHECK(operation.text() == before);
    child.turns(10);
    // Of each turn: one call of the outer function, two of the inner one; each has two ends.
    CHECK(operation.records().begun - begun >= 5000 * 6);
  }
  CHECK(shared->wrong == 0);
  const ThreadRecords& all = operation.records();
  const Record* ring = operation.layout().records[&all - operation.layout().threads];
  for (uint64_t i = all.begun - kRing + 10; i + 1 < all.begun; ++i) {
    const Record &one = ring[i % kRing], &next = ring[(i + 1) % kRing];
    CHECK(one.ticks < next.ticks);
  }
  operation.unmap();
  child.turns(100);
  CHECK(shared->wrong == 0);
}

TEST_CASE("surgery: where somebody else was a function is left alone" *
          doctest::skip(::geteuid() != 0)) {
  const Child child(work_forever);
  child.turns(10);
  Operation operation(child.pid());
  const auto memory = ProcessMemory::open(child.pid());
  std::vector<CodeChange> changes = operation.changes();
  changes.back().before[0] ^= 0xff;  // as if
  CHECK(operation.change(changes, {}) == std::vector<uint32_t>{1});
  child.turns(100);
  CHECK(operation.records().begun > 0);
  for (const CodeChange& change : changes) {
    std::array<uint8_t, 5> now{};
    REQUIRE(memory->read(change.at, std::span(now).first(change.size)));
    CHECK((now[0] == change.after[0]) == (change.function == 0));
  }
  CHECK(shared->wrong == 0);
}

// Threads that work, and a handler that calls the same functions, as often as it can be.
TEST_CASE("surgery: of many threads, interrupted by signals, none is harmed" *
          doctest::skip(::geteuid() != 0)) {
  const Child child([] {
    struct sigaction action = {};
    action.sa_handler = [](int) {
      if (surgery_outer(7) != expected_of(7)) ++shared->wrong;
      ++shared->signals;
    };
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGPROF, &action, nullptr);
    const itimerval often = {{0, 500}, {0, 500}};
    ::setitimer(ITIMER_PROF, &often, nullptr);
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; ++i) threads.emplace_back(work_forever);
    for (std::thread& one : threads) one.join();
  });
  child.turns(1000);
  Operation operation(child.pid());
  const std::vector<uint8_t> before = operation.text();
  for (int i = 0; i < 100; ++i) {
    operation.patch();
    child.turns(300);
    operation.put_back();
    CHECK(operation.text() == before);
  }
  CHECK(shared->signals > 0);
  CHECK(shared->wrong == 0);
  operation.unmap();
  child.turns(1000);
  CHECK(shared->wrong == 0);
}
