// SPDX-License-Identifier: Apache-2.0
#include "pipeline/sample_drain.h"

#include <doctest/doctest.h>

#include <atomic>
#include <vector>

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

}  // namespace

TEST_CASE("sample drain: drains again and again on a thread of its own, and once more at the end") {
  CountingSource source;
  TimesSink sink;
  pipeline::SampleDrain drain(source, sink);
  drain.start();
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

TEST_CASE("sample drain: one that was never started drains nothing") {
  CountingSource source;
  TimesSink sink;
  { pipeline::SampleDrain drain(source, sink); }
  CHECK(source.drains == 0);
}
