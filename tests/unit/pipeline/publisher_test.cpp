// SPDX-License-Identifier: Apache-2.0
#include "pipeline/publisher.h"

#include <doctest/doctest.h>

#include <vector>

#include "base/clock.h"
#include "list_source.h"

using namespace compmond;
using pipeline::Publisher;
using pipeline::SharedCheckpoint;
using pipeline::test::kMs;
using pipeline::test::kStart;

namespace {

constexpr uint64_t kAnyAge = UINT64_MAX;

pipeline::Options options() {
  pipeline::Options out;
  out.component_of = {0};
  out.history_bytes = 1u << 20;
  out.start_ns = kStart;
  return out;
}

struct Published {
  Published() : pipeline(source, options()) {
    pipeline.start(worker);
    publisher.follow(pipeline);
    publisher.add([this](const SharedCheckpoint& one) { taken.push_back(one); });
  }
  pipeline::test::ListSource source;
  Worker worker = *Worker::start("cannot test");
  pipeline::Pipeline pipeline;
  Publisher publisher;
  std::vector<SharedCheckpoint> taken;
};

}  // namespace

TEST_CASE("publisher: readers share one checkpoint while it is young enough, no copies of it") {
  Published run;
  const SharedCheckpoint first = run.publisher.read();
  CHECK(run.publisher.read(kAnyAge) == first);
  CHECK(run.publisher.read(kAnyAge).get() == first.get());
  CHECK(run.publisher.read() != first);
}

TEST_CASE("publisher: consumers get each new checkpoint once, by whomever it was asked for") {
  Published run;
  const SharedCheckpoint first = run.publisher.read();
  run.publisher.read(kAnyAge);
  const SharedCheckpoint second = run.publisher.read();
  CHECK(run.taken == std::vector{first, second});
}

TEST_CASE("publisher: it is told when a consumer waits for its next checkpoint") {
  Published run;
  CHECK_FALSE(run.publisher.due(monotonic_ns()));  // nobody wants them at a rhythm
  const uint64_t every_ns = 3'600'000 * kMs;
  run.publisher.add([](const SharedCheckpoint&) {}, every_ns);
  CHECK(run.publisher.due(monotonic_ns()));
  run.publisher.read();
  CHECK_FALSE(run.publisher.due(monotonic_ns()));
  CHECK(run.publisher.due(monotonic_ns() + every_ns));
}

TEST_CASE("publisher: once the pipeline has stopped, its last checkpoint is published once") {
  Published run;
  run.pipeline.stop(kStart + kMs);
  const SharedCheckpoint last = run.publisher.read();
  CHECK(last->as_of_ns == kStart + kMs);
  CHECK(run.publisher.read() == last);
  CHECK(run.taken == std::vector{last});
}

TEST_CASE("publisher: of another pipeline nothing of the one before is shown") {
  Published run;
  const SharedCheckpoint before = run.publisher.read();
  pipeline::test::ListSource source;
  pipeline::Pipeline other(source, options());
  run.publisher.follow(other);
  CHECK(run.publisher.read(kAnyAge) != before);
  CHECK(run.taken.size() == 2);
}
