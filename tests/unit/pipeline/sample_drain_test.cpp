// SPDX-License-Identifier: Apache-2.0
#include "pipeline/sample_drain.h"

#include <doctest/doctest.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"

using namespace compmond;
using sampling::Sample;

namespace {

// Has one sample more each time that it is drained.
class CountingSource : public sampling::SampleSource {
 public:
  void drain(sampling::SampleSink& sink) override {
    Sample sample;
    sample.time_ns = ++drains;
    sink.on_sample(sample);
  }
  std::atomic<uint64_t> drains = 0;
};

// Has nothing for so long after each drain, unless it is woken; notes when it was drained.
class RestingSource : public sampling::SampleSource {
 public:
  explicit RestingSource(uint64_t rest_ns) : rest_ns_(rest_ns) {}
  void drain(sampling::SampleSink&) override {
    eventfd_t taken = 0;
    ::eventfd_read(news_[0], &taken);
    at_ns[std::min(drains.load(), at_ns.size() - 1)] = monotonic_ns();
    ++drains;
  }
  Rest rest() override { return {rest_ns_, news_}; }
  void wake() { ::eventfd_write(news_[0], 1); }
  void wait_for(size_t some) const {
    while (drains < some) std::this_thread::yield();
  }
  std::array<uint64_t, 8> at_ns{};
  std::atomic<size_t> drains = 0;

 private:
  uint64_t rest_ns_;
  Fd owned_{::eventfd(0, EFD_NONBLOCK)};
  std::array<int, 1> news_{owned_.get()};
};

constexpr uint64_t kHour = 3'600'000'000'000;

class TimesSink : public sampling::SampleSink {
 public:
  void on_image(const sampling::Image&) override {}
  void on_function(const sampling::Function&) override {}
  void on_sample(const Sample& sample) override {
    times.push_back(sample.time_ns);
    thread = std::this_thread::get_id();
  }
  void on_stretch(const sampling::Stretch&) override {}
  std::vector<uint64_t> times;
  std::thread::id thread;
};

// A source that is drained since the case began.
template <class Source>
struct Drained {
  explicit Drained(Source& of) : source(of), drain(source, sink) { REQUIRE(drain.start()); }
  Source& source;
  TimesSink sink;
  pipeline::SampleDrain drain;
};

}  // namespace

TEST_CASE("sample drain: drains again and again on a thread of its own, and once more at the end") {
  CountingSource source;
  Drained drained(source);
  pipeline::SampleDrain& drain = drained.drain;
  const TimesSink& sink = drained.sink;
  while (source.drains < 3) std::this_thread::yield();
  const uint64_t before = source.drains;
  drain.stop();
  CHECK(source.drains > before);
  CHECK(sink.times.size() == source.drains);
  CHECK(sink.thread != std::this_thread::get_id());
  const uint64_t ended = source.drains;
  drain.stop();
  CHECK(source.drains == ended);
}

TEST_CASE("sample drain: a source that rests is left alone for so long") {
  RestingSource source(300'000'000);
  Drained drained(source);
  source.wait_for(3);
  drained.drain.stop();
  CHECK(source.at_ns[1] - source.at_ns[0] >= 300'000'000);
  CHECK(source.at_ns[2] - source.at_ns[1] >= 300'000'000);
}

TEST_CASE("sample drain: news end a rest, and the source is looked at again soon after them") {
  RestingSource source(kHour);
  Drained drained(source);
  source.wait_for(1);
  CHECK(source.drains == 1);
  source.wake();
  source.wait_for(3);  // at once, and as more may follow, once more
  source.wake();
  source.wait_for(5);
}

TEST_CASE("sample drain: news that never end do not keep it busy") {
  const Fd always(::eventfd(1, EFD_NONBLOCK));
  struct Noisy : RestingSource {
    explicit Noisy(int fd) : RestingSource(kHour), news{fd} {}
    Rest rest() override { return {kHour, news}; }
    std::array<int, 1> news;
  } noisy(always.get());
  Drained drained(noisy);
  noisy.wait_for(5);
  drained.drain.stop();
  CHECK(noisy.at_ns[4] - noisy.at_ns[0] >= 100'000'000);
}

TEST_CASE("sample drain: its end does not wait for the end of a rest") {
  RestingSource source(kHour);
  Drained drained(source);
  source.wait_for(1);
  drained.drain.stop();
  CHECK(source.drains == 2);
}

TEST_CASE("sample drain: one that was never started drains nothing") {
  CountingSource source;
  TimesSink sink;
  { pipeline::SampleDrain drain(source, sink); }
  CHECK(source.drains == 0);
}
