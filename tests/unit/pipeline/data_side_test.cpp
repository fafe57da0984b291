// SPDX-License-Identifier: Apache-2.0
#include "pipeline/data_side.h"

#include <doctest/doctest.h>

#include "base/clock.h"
#include "list_source.h"

using namespace compmond;
using pipeline::test::kMs;
using pipeline::test::kStart;

namespace {

constexpr uint64_t kHourNs = 3'600'000 * kMs;

pipeline::Options at_start() {
  pipeline::Options out;
  out.component_of = {0};
  out.history_bytes = 1u << 20;
  out.start_ns = kStart;
  return out;
}

}  // namespace

TEST_CASE("data side: a checkpoint is made when a consumer waits for one, and else not") {
  pipeline::test::ListSource source;
  pipeline::DataSide data;
  data.publisher().add([](const auto&) {}, kHourNs);
  CHECK(data.publish_due(monotonic_ns()) == nullptr);  // nothing began
  REQUIRE(data.start());
  data.begin(source, at_start());
  const pipeline::SharedCheckpoint first = data.publish_due(monotonic_ns());
  CHECK(first);
  CHECK(data.publish_due(monotonic_ns()) == nullptr);
  CHECK(data.publish_due(monotonic_ns() + kHourNs));
}

TEST_CASE("data side: where another one begins, nothing of the one before is shown") {
  pipeline::test::ListSource source;
  pipeline::DataSide data;
  REQUIRE(data.start());
  data.begin(source, at_start());
  source.put(0, {pipeline::test::at(0, record::EventKind::kEntry, 0, 900)});
  data.pipeline().stop(kStart + kMs);
  CHECK(data.read()->operations[0].calls == 1);
  data.drop();
  CHECK_FALSE(data.began());
  data.begin(source, at_start());
  CHECK(data.read(UINT64_MAX)->operations[0].calls == 0);
}
