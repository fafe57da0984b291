// SPDX-License-Identifier: Apache-2.0
// bench_inside: what unwinding a sample costs, with rows that are known: 13 frames and the 11 KiB
// of a thread's stack. The floor is copying such stacks to where they are unwound, and clearing
// that.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <pthread.h>
#include <ucontext.h>

#include <array>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "unwind/child_unwinder.h"
#include "unwind/desk.h"
#include "unwind/unwinding.h"

namespace compmond::bench {
namespace {

constexpr size_t kBatch = 50;  // records: 100 ms of them
constexpr int kOwnFrames = 9;  // with what calls them in a thread, 13

struct Stack {
  cm_sample head{};
  std::vector<std::byte> bytes;
};

[[gnu::noinline]] void copy_stack(Stack& out) {
  constexpr int kOrder[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                            REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                            REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  ucontext_t now;
  ::getcontext(&now);
  for (size_t i = 0; i < std::size(kOrder); ++i)
    out.head.registers[i] = uint64_t(now.uc_mcontext.gregs[kOrder[i]]);
  pthread_attr_t thread;
  void* bottom = nullptr;
  size_t size = 0;
  if (::pthread_getattr_np(::pthread_self(), &thread) != 0) return;
  ::pthread_attr_getstack(&thread, &bottom, &size);
  ::pthread_attr_destroy(&thread);
  const auto* from = reinterpret_cast<const std::byte*>(out.head.registers[7]);
  out.bytes.assign(from, static_cast<const std::byte*>(bottom) + size);
  out.head.pid = 1;
}

template <int N>
[[gnu::noinline]] void nested(Stack& out) {
  std::array<char, 550> room;
  benchmark::DoNotOptimize(room.data());
  if constexpr (N > 1)
    nested<N - 1>(out);
  else
    copy_stack(out);
  benchmark::DoNotOptimize(room.data());
}

Stack stack_of_thread() {
  Stack out;
  std::thread([&out] { nested<kOwnFrames>(out); }).join();
  return out;
}

void tell_self(sampling::Unwinder& unwinder) {
  std::ifstream maps("/proc/self/maps");
  sampling::ImageNumber next = sampling::kFirstFile;
  for (std::string line; std::getline(maps, line);) {
    sampling::Mapping m;
    std::string rights, other, path;
    char dash = 0;
    std::istringstream words(line);
    words >> std::hex >> m.start >> dash >> m.end >> rights >> m.offset >> other >> other >> path;
    if (rights[2] != 'x' || path.empty() || path[0] != '/') continue;
    sampling::Image image;
    image.number = m.image = next++;
    image.path = path;
    unwinder.add(image, Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)));
    unwinder.map(1, m);
  }
}

// Walks a batch each round, once before that the rows are known.
void measure_walk(benchmark::State& state, sampling::Unwinder& unwinder) {
  tell_self(unwinder);
  const Stack stack = stack_of_thread();
  const std::vector<sampling::RawSample> batch(kBatch, {&stack.head, stack.bytes, {}});
  size_t frames = 0, complete = 0, stacks = 0;
  const auto walk = [&] {
    unwinder.walk(batch, [&](size_t, const sampling::Walked& walked) {
      frames += walked.frames.size();
      complete += walked.ended == sampling::Ended::kComplete;
      ++stacks;
    });
  };
  walk();
  for (auto _ : state) {
    const uint64_t start = monotonic_ns();
    walk();
    state.SetIterationTime(double(monotonic_ns() - start) / 1e9);
  }
  if (complete != stacks) return state.SkipWithError("a stack is not complete");
  state.counters["stack"] = double(stack.bytes.size());
  state.counters["frames"] = double(frames) / double(stacks);
  state.SetItemsProcessed(int64_t(state.iterations() * kBatch));
}

void unwind_here(benchmark::State& state) {
  unwind::Unwinding unwinding;
  measure_walk(state, unwinding);
}

// By the clock: both sides, and the way between them.
void unwind_in_child(benchmark::State& state) {
  auto child = unwind::ChildUnwinder::start();
  if (!child) return state.SkipWithError(child.error().text().c_str());
  measure_walk(state, *child);
}

void unwind_floor(benchmark::State& state) {
  auto desk = unwind::Desk::make();
  if (!desk) return state.SkipWithError(desk.error().text().c_str());
  const Stack stack = stack_of_thread();
  const std::vector<sampling::RawSample> batch(kBatch, {&stack.head, stack.bytes, {}});
  for (auto _ : state) {
    benchmark::DoNotOptimize(desk->lay(batch));
    desk->wipe();
  }
  state.SetItemsProcessed(int64_t(state.iterations() * kBatch));
}

BENCHMARK(unwind_floor);
BENCHMARK(unwind_here);
BENCHMARK(unwind_in_child)->UseManualTime();

}  // namespace
}  // namespace compmond::bench
