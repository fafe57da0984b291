// SPDX-License-Identifier: Apache-2.0
#include "estimate/inside.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>

#include "samples.h"

using namespace compmond;
using namespace compmond::estimate;
using namespace compmond::estimate::samples;

namespace {

constexpr FunctionId kOp0{sampling::kFirstFile, 256}, kOp1{sampling::kFirstFile, 512};
constexpr FunctionId kLibraryFunction{4, 0x500}, kStart{4, 0x900};
constexpr sampling::Frame kInLibrary{4, 0x512}, kInStart{4, 0x9ff};

struct Scene : Fed {
  Scene() : Fed(3) {
    for (const FunctionId one : {kOp0, kOp1, kLibraryFunction, kStart})
      store.on_function({one.image, one.start, one.start + 256, {}});
  }
  void put(int count, std::vector<sampling::Frame> frames, bool in_kernel = false,
           sampling::Ended ended = sampling::Ended::kComplete) {
    for (int i = 0; i < count; ++i) {
      sampling::Sample sample;
      sample.pid = sample.tid = 1;
      sample.time_ns = at_ += kMs;
      sample.in_kernel = in_kernel;
      sample.ended = ended;
      sample.frames = frames;
      store.on_sample(sample);
    }
  }
  Inside of(Part part) { return inside(store, part, {}); }

 private:
  uint64_t at_ = 0;
};

const CallNode& child(const std::vector<CallNode>& tree, int parent, size_t i) {
  return tree[size_t(tree[size_t(parent)].children.at(i))];
}

double ms(const Times& times) { return times.all.value_ns / 1e6; }

}  // namespace

TEST_CASE("inside: functions by own and total time, from the outermost frame of the component") {
  Scene s;
  const sampling::Frame op0 = frame_of(0), op1 = frame_of(1);
  s.put(6, {kInLibrary, op0, kInStart});
  s.put(3, {op0, kInStart});
  s.put(2, {kInLibrary, op0, op1, op0, kInStart});  // recursion
  s.put(4, {op0, kInStart}, true);
  s.put(5, {op1, kInStart});             // of others
  s.stretch(0, kSecond, 20, 200 * kMs);  // 10 ms each
  const Inside in = s.of({Part::Kind::kComponent, 0});
  CHECK(ms(in.callees[0].total) == doctest::Approx(150));
  REQUIRE(in.callees[0].children.size() == 1);
  const CallNode& top = child(in.callees, 0, 0);
  CHECK(top.function == kOp0);
  CHECK(ms(top.total) == doctest::Approx(150));
  CHECK(ms(top.own) == doctest::Approx(30));
  REQUIRE(top.children.size() == 3);
  const int at = in.callees[0].children[0];
  CHECK(child(in.callees, at, 0).function == kLibraryFunction);
  CHECK(ms(child(in.callees, at, 0).own) == doctest::Approx(60));
  CHECK(child(in.callees, at, 1).function == kKernelFunction);
  CHECK(ms(child(in.callees, at, 1).own) == doctest::Approx(40));
  CHECK(child(in.callees, at, 2).function == kOp1);
  CHECK(ms(child(in.callees, at, 2).own) == 0);
  REQUIRE(in.functions.size() == 4);
  CHECK(in.functions[0].function == kLibraryFunction);
  CHECK(ms(in.functions[0].own) == doctest::Approx(80));
  CHECK(in.functions[2].function == kOp0);
  CHECK(ms(in.functions[2].total) == doctest::Approx(150));  // not twice where it recurses
  CHECK(in.complete);
  CHECK(in.folded == 0);
}

TEST_CASE("inside: values have the intervals of their share of all samples") {
  Scene s;
  s.put(81, {frame_of(0)});
  s.put(263 - 81, {frame_of(1)});
  s.stretch(0, kSecond, 263, 263 * 4 * kMs);
  const Inside in = s.of({Part::Kind::kOperation, 0});
  const Estimate& e = in.callees[0].total.on_cpu;
  CHECK(e.samples == 81);
  CHECK(e.low_ns / (263 * 4e6) == doctest::Approx(0.2553).epsilon(0.0005));
  CHECK(e.high_ns / (263 * 4e6) == doctest::Approx(0.3662).epsilon(0.0005));
}

TEST_CASE("inside: callers go outwards, to what a cut stack lacks") {
  Scene s;
  s.put(5, {frame_of(0), frame_of(1), kInStart});
  s.put(3, {frame_of(0), kInStart});
  s.put(2, {frame_of(0), frame_of(1)}, false, sampling::Ended::kTruncated);
  s.stretch(0, kSecond, 20, 100 * kMs);
  const std::vector<CallNode> callers = s.of({Part::Kind::kComponent, 0}).callers;
  REQUIRE(callers[0].children.size() == 2);
  CHECK(child(callers, 0, 0).function == kOp1);
  CHECK(ms(child(callers, 0, 0).total) == doctest::Approx(70));
  const int op1 = callers[0].children[0];
  CHECK(child(callers, op1, 0).function == kStart);
  CHECK(child(callers, op1, 1).function == kCutOff);
  CHECK(child(callers, 0, 1).function == kStart);
}

TEST_CASE("inside: functions and the part are lower bounds where cut stacks may hide the part") {
  const auto marks = [](const Inside& in, FunctionId function) {
    const auto found = std::ranges::find(in.functions, function, &FunctionTimes::function);
    REQUIRE(found != in.functions.end());
    return std::pair(found->own.all.at_least, found->total.all.at_least);
  };
  Scene s;
  const auto stacks = [&] {
    s.put(30, {kInLibrary, frame_of(0), kInStart});
    s.put(30, {frame_of(0), kInStart});
  };
  stacks();
  // In the part: whom it called is known.
  s.put(20, {frame_of(0)}, false, sampling::Ended::kTruncated);
  s.stretch(0, kSecond, 80, kSecond);
  const Inside known = s.of({Part::Kind::kComponent, 0});
  CHECK_FALSE(known.total.all.at_least);
  CHECK(marks(known, kOp0) == std::pair(false, false));
  CHECK(marks(known, kLibraryFunction) == std::pair(false, true));
  // The library's function, called by nobody knows whom.
  s.put(40, {kInLibrary}, false, sampling::Ended::kBroken);
  s.stretch(kSecond, 2 * kSecond, 80, kSecond / 2);
  const Inside hidden = s.of({Part::Kind::kComponent, 0});
  CHECK(hidden.total.on_cpu.at_least);
  CHECK_FALSE(hidden.total.off_cpu.at_least);
  CHECK(marks(hidden, kOp0) == std::pair(false, true));
  CHECK(marks(hidden, kLibraryFunction) == std::pair(true, true));
  CHECK(hidden.functions.front().own.all.high_ns <= hidden.functions.front().total.all.high_ns);
}

TEST_CASE("inside: waits count where they lie in the window, with what is around them") {
  Fed fed(2);
  fed.off(700 * kMs, {1, 0}, 400 * kMs, 400 * kMs);
  fed.stretch(0, kSecond, 0, 0);
  const Part all{Part::Kind::kComponent, 0};
  CHECK(ms(inside(fed.store, all, {0, kSecond}).callees[0].total) == 400);
  CHECK(ms(inside(fed.store, all, {400 * kMs, 500 * kMs}).callees[0].total) ==
        doctest::Approx(100));
  CHECK(inside(fed.store, all, {kSecond, 2 * kSecond}).callees.size() == 1);
}

TEST_CASE("inside: of what ends in jumps to other functions the whole is a lower bound") {
  for (const bool jumps : {false, true}) {
    Model model = flat_model(2);
    model.operations[0].ends_in_jump = jumps;
    Fed fed(model);
    for (uint64_t i = 1; i <= 40; ++i) fed.on(i * kMs, {int(i % 2)});
    fed.stretch(0, kSecond, 40, 200 * kMs);
    CHECK(inside(fed.store, {Part::Kind::kOperation, 0}, {}).total.all.at_least == jumps);
    CHECK_FALSE(inside(fed.store, {Part::Kind::kOperation, 1}, {}).total.all.at_least);
  }
}

TEST_CASE("inside: of waiting that no sample met there is an upper bound") {
  Fed fed(1);
  for (uint64_t i = 1; i <= 40; ++i) fed.on(i * kMs, {0});
  fed.stretch(0, kSecond, 40, 200 * kMs);  // a period of 5 ms
  const Inside in = inside(fed.store, {Part::Kind::kOperation, 0}, {});
  CHECK(in.total.off_cpu.below);
  CHECK(in.total.off_cpu.high_ns == doctest::Approx(15e6));
}

TEST_CASE("inside: waits that were looked for a part of the time are lower bounds") {
  Fed fed(2);
  fed.off(700 * kMs, {1, 0}, 400 * kMs, 400 * kMs);
  fed.stretch(0, kSecond, 0, 0);
  fed.off(1700 * kMs, {1, 0}, 400 * kMs, 400 * kMs);
  fed.stretch(kSecond, 2 * kSecond, 0, 0, 0);
  const Part all{Part::Kind::kComponent, 0};
  CHECK_FALSE(inside(fed.store, all, {0, kSecond}).total.off_cpu.at_least);
  const Inside both = inside(fed.store, all, {0, 2 * kSecond});
  CHECK(both.total.off_cpu.at_least);
  CHECK(both.total.all.at_least);
  CHECK(both.functions[0].total.off_cpu.at_least);
}

TEST_CASE("inside: what is gone is said, and a tree without end is cut with its time kept") {
  SampleStore::Options options;
  options.recent_bytes = 100'000 * sizeof(RecentSample);
  options.stacks_bytes = 64 << 20;
  Fed fed(1, options);
  sampling::Sample sample;
  for (uint64_t i = 0; i < 3 * limits::kInsideNodes; ++i) {
    const sampling::Frame frames[] = {{4, i * 256}, frame_of(0)};
    fed.store.on_function({4, i * 256, i * 256 + 256, {}});
    sample.frames = frames;
    sample.time_ns = i * 10'000;
    fed.store.on_sample(sample);
  }
  fed.stretch(0, kSecond, 60'000, kSecond);
  const Inside in = inside(fed.store, {Part::Kind::kComponent, 0}, {});
  CHECK(in.callees.size() == limits::kInsideNodes);
  CHECK(in.folded == 2 * limits::kInsideNodes + 2);
  CHECK(in.callees[1].total.on_cpu.samples == 3 * limits::kInsideNodes);
  CHECK(in.without_stack == 0);
  options.recent_bytes = 10 * sizeof(RecentSample);
  options.stacks_bytes = 1;
  Fed small(1, options);
  for (uint64_t i = 0; i < 30; ++i) small.on(i * kMs, std::vector<int>(i + 1, 0));
  small.stretch(0, kSecond, 30, kSecond);
  const Inside little = inside(small.store, {Part::Kind::kComponent, 0}, {});
  CHECK_FALSE(little.complete);
  CHECK(little.without_stack == 9);  // one stack is always there
}
