// SPDX-License-Identifier: Apache-2.0
// Readers who wait for the data side at the same time, and an end that comes meanwhile.
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <thread>

#include "list_source.h"
#include "pipeline/pipeline.h"

using namespace compmond;
using pipeline::SharedCheckpoint;
using pipeline::test::at;
using pipeline::test::kMs;
using pipeline::test::kStart;
using record::EventKind;

namespace {

constexpr int kRounds = 1000;  // most readers are late in none of them
constexpr uint64_t kEnd = kStart + 5 * kMs;

// Holds the thread that drains it up for as long as it is shut.
class Gate : public pipeline::test::ListSource {
 public:
  size_t drain(record::EventSink& sink) override {
    open_.wait(false);
    return ListSource::drain(sink);
  }
  void open() {
    open_ = true;
    open_.notify_all();
  }

 private:
  std::atomic<bool> open_ = false;
};

pipeline::Options options() {
  pipeline::Options out;
  out.component_of = {0};
  out.history_bytes = 1u << 20;
  out.start_ns = kStart;
  return out;
}

// Two who asked, or are about to, while the data side is held up, with a call to be taken in.
struct Waiting {
  Waiting() : pipeline(gate, options()) {
    gate.put(0, {at(0, EventKind::kEntry, 0, 900), at(1, EventKind::kExit, 0, 900)});
    pipeline.start(worker);
    for (size_t i = 0; i < readers.size(); ++i)
      readers[i] = std::thread([this, i] {
        ++asking;
        got[i] = pipeline.checkpoint();
      });
    while (asking < int(readers.size())) std::this_thread::yield();
    for (int i = 0; i < 50; ++i) std::this_thread::yield();
  }
  void finish() {
    gate.open();
    for (std::thread& reader : readers) reader.join();
  }

  Gate gate;
  Worker worker = *Worker::start("cannot test");
  pipeline::Pipeline pipeline;
  std::atomic<int> asking = 0;
  std::array<SharedCheckpoint, 2> got;
  std::array<std::thread, 2> readers;
};

}  // namespace

TEST_CASE("pipeline: two who wait for a checkpoint at the same moment get the same one") {
  bool same = false;
  for (int round = 0; round < kRounds && !same; ++round) {
    Waiting both;
    both.finish();
    for (const SharedCheckpoint& one : both.got) REQUIRE(one->operations[0].calls == 1);
    same = both.got[0] == both.got[1];
  }
  CHECK(same);
}

TEST_CASE("pipeline: two who wait for a checkpoint when it stops both get one, and it ends") {
  bool same = false;
  for (int round = 0; round < kRounds / 10; ++round) {
    Waiting both;
    std::thread stopper([&] { both.pipeline.stop(kEnd); });
    if (round % 2 > 0) std::this_thread::yield();
    both.finish();
    stopper.join();
    for (const SharedCheckpoint& one : both.got) CHECK(one->operations[0].calls == 1);
    CHECK(both.pipeline.checkpoint()->as_of_ns == kEnd);
    same |= both.got[0] == both.got[1];
  }
  CHECK(same);
}
