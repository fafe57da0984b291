// SPDX-License-Identifier: Apache-2.0
#include "run/objective_watch.h"

#include "../present/small_run.h"

using namespace compmond;
using present::test::kMs;
using run::ObjectiveWatch;

namespace {

constexpr uint64_t kFileNs = 1000 * kMs;  // what one file of the flight recorder holds

// fb took 30 ms of 25, and fc of 20 ms is open since 30.
struct Run : present::test::Run {
  // One more of fb, of 30 ms.
  void miss_again() {
    const uint64_t from = checkpoint.as_of_ns;
    feed(0, {trace::in(1, 800, from), trace::out(1, 800, from + 30 * kMs)});
    checkpoint = {};
    store.fill(checkpoint);
    checkpoint.as_of_ns = from + 30 * kMs;
    tracer.open_executions(checkpoint.open);
  }
  present::RunParts ended() const {
    return {spec,  plan,  states,     costs,    engines, processes,
            notes, store, checkpoint, programs, true};
  }
};

}  // namespace

TEST_CASE("objective watch: it looks only for what somebody wants to know") {
  CHECK_FALSE(ObjectiveWatch({}).looks());
  CHECK(ObjectiveWatch({true, 0}).looks());
  CHECK(ObjectiveWatch({false, kFileNs}).looks());
}

TEST_CASE("objective watch: the first that missed its objective is kept, where it is asked for") {
  const Run run;
  ObjectiveWatch watch({true, 0});
  CHECK_FALSE(watch.missed());
  CHECK_FALSE(watch.look(run.parts(), kMs));  // there is nothing to save
  REQUIRE(watch.missed());
  CHECK(watch.missed()->starts_with("A/B fb took 30.0 ms, more than 25.0 ms"));
  CHECK_FALSE(watch.looks());

  ObjectiveWatch saving({false, kFileNs});
  CHECK(saving.look(run.parts(), kMs));
  CHECK_FALSE(saving.missed());
  CHECK(saving.looks());
}

TEST_CASE("objective watch: without objectives nothing is ever missed") {
  Run run;
  for (auto& op : run.plan.operations) op.slo_ms = 0;
  ObjectiveWatch watch({true, kFileNs});
  CHECK_FALSE(watch.look(run.parts(), kMs));
  CHECK_FALSE(watch.missed());
}

TEST_CASE("objective watch: a file is saved for what is new, at most one per its length of time") {
  Run run;
  ObjectiveWatch watch({false, kFileNs});
  const uint64_t now = 5 * kFileNs;
  CHECK(watch.look(run.parts(), now));
  CHECK_FALSE(watch.look(run.parts(), now + 2 * kFileNs));  // nothing new
  run.miss_again();
  CHECK(watch.look(run.parts(), now + 2 * kFileNs));
  run.miss_again();
  CHECK_FALSE(watch.look(run.parts(), now + 3 * kFileNs - 1));
  CHECK(watch.look(run.parts(), now + 3 * kFileNs));
}

TEST_CASE("objective watch: at the run's end the file does not wait") {
  Run run;
  ObjectiveWatch watch({false, kFileNs});
  CHECK(watch.look(run.parts(), kMs));
  run.miss_again();
  CHECK_FALSE(watch.look(run.parts(), 2 * kMs));
  CHECK(watch.look(run.ended(), 2 * kMs));
  CHECK_FALSE(watch.look(run.ended(), 3 * kMs));
}
