// SPDX-License-Identifier: Apache-2.0
#include "run/sample_side.h"

#include <doctest/doctest.h>

#include <string>

using namespace compmond;

namespace {

constexpr sampling::ImageNumber kMain = sampling::kFirstFile;
constexpr uint64_t kMs = 1'000'000;

// A sample in each of two functions, of which the second was taken in a slice, and maybe one more
// in that after it.
class Source : public sampling::SampleSource {
 public:
  explicit Source(bool again) : again_(again) {}
  void drain(sampling::SampleSink& sink) override {
    if (drained_) return;
    drained_ = true;
    sink.on_image({kMain, "/main", 8, 100, ""});
    sink.on_function({kMain, 0x100, 0x180, "one"});
    take(sink, 0x108, 5 * kMs);
    sink.on_function({kMain, 0x200, 0x280, "other"});
    take(sink, 0x208, 15 * kMs);
    if (again_) take(sink, 0x208, 25 * kMs);
  }

 private:
  static void take(sampling::SampleSink& sink, uint64_t vaddr, uint64_t time_ns) {
    const sampling::Frame frame{kMain, vaddr};
    sampling::Sample sample;
    sample.time_ns = time_ns;
    sample.frames = {&frame, 1};
    sink.on_sample(sample);
  }
  bool again_, drained_ = false;
};

// The names of both functions, as far as they are known.
std::string known(bool again) {
  sampling::SliceTimes slices;
  slices.begin(10 * kMs);
  slices.end(20 * kMs);
  Source source(again);
  run::SampleSide side(source, {}, {}, 99, 1u << 20, slices);
  REQUIRE(side.begin(nullptr));
  side.end();
  const estimate::SampleStore& store = side.samples().store;
  std::string out;
  for (const uint64_t vaddr : {0x108, 0x208})
    out += store.named(store.function_of({kMain, vaddr})).name + ";";
  return out;
}

}  // namespace

TEST_CASE("sample side: of what was sampled in slices alone not even the names are kept") {
  CHECK(known(false) == "one;;");
}

TEST_CASE("sample side: a function that a slice met first is named where it is met again") {
  CHECK(known(true) == "one;other;");
}
