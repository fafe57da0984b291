// SPDX-License-Identifier: Apache-2.0
#include "run/live_run.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include "../engine/fake_engine.h"
#include "idle.h"

using namespace compmond;
using engine::Recording;
using engine::test::Fake;
using pipeline::test::at;
using record::EventKind;
using run::test::Idle;
using Places = Fake::Places;

namespace {

// One operation of this program, observed in a process of it by an engine in memory; a
// stranger runs it too.
struct Scene {
  Result<std::unique_ptr<run::LiveRun>> attach() {
    run::AttachOptions options;
    options.target.pids = {idle.pid()};
    options.target.children = false;
    spec::Spec spec;
    spec.components.resize(1);
    spec.components[0].path = "C";
    plan::Plan plan = engine::test::plan_of(1, {&fake});
    auto file = std::make_shared<const Fd>(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    struct stat st {};
    REQUIRE(::fstat(file->get(), &st) == 0);
    plan.images[0].device = st.st_dev;
    plan.images[0].inode = st.st_ino;
    auto targets = prepare::TargetSet::find(options.target);
    REQUIRE(targets);
    engine::Engines engines(engine::test::engines({&fake}));
    plan::Costs costs = *engines.calibrate();
    return run::LiveRun::attach({std::move(spec),
                                 std::move(*targets),
                                 {{{"/proc/self/exe", "abc", file, st.st_dev, st.st_ino}},
                                  false,
                                  std::move(plan),
                                  {"noted"}},
                                 std::move(engines),
                                 std::move(costs),
                                 hindrance::Hindrances::open(hindrance::Filters::kPassed)},
                                options);
  }

  Fake fake{"fake"};
  Idle idle, stranger;
};

// Until the run has something to do.
void wait(const run::LiveRun& live) {
  pollfd wake{live.wake_fd().get(), POLLIN, 0};
  REQUIRE(::poll(&wake, 1, 60'000) == 1);
}

}  // namespace

TEST_CASE("live run: probes are placed before recording begins, and go when it ends") {
  Scene scene;
  auto live = scene.attach();
  REQUIRE(live);
  CHECK(scene.fake.placed() == Places{{scene.idle.pid(), 0}});
  CHECK(scene.fake.recordings.empty());
  REQUIRE((*live)->record());
  CHECK(scene.fake.recordings == std::vector<Recording>{Recording::kOn});
  (*live)->stop();
  CHECK(scene.fake.recordings.back() == Recording::kOff);
  CHECK(scene.fake.placed().empty());
  const snapshot::Snapshot shown = (*live)->snapshot(0, "overall", {});
  CHECK(shown.health.attach == "in memory");
  CHECK(shown.health.notes == std::vector<std::string>{"noted"});
  REQUIRE(shown.targets.size() == 1);
  CHECK(shown.targets[0].pid == scene.idle.pid());
}

TEST_CASE("live run: a process that a target forks is met, and probes are placed in it") {
  Scene scene;
  auto live = scene.attach();
  REQUIRE(live);
  REQUIRE((*live)->record());
  const Idle forked;
  REQUIRE(scene.fake.add(forked.pid()));
  record::Event fork = at(1, EventKind::kFork, 0, 0);
  fork.arg = uint64_t(forked.pid());
  scene.fake.events.put(0, {fork});
  while (scene.fake.placed().size() < 2) {
    wait(**live);
    (*live)->service();
  }
  CHECK(scene.fake.placed().contains({forked.pid(), 0}));
  (*live)->stop();
}

TEST_CASE(
    "live run: one that executed another program meanwhile is known as ended, without probes") {
  Scene scene;
  auto live = scene.attach();
  REQUIRE(live);
  REQUIRE((*live)->record());
  const Idle gone;  // no target any more
  record::Event fork = at(1, EventKind::kFork, 0, 0);
  fork.arg = uint64_t(gone.pid());
  scene.fake.events.put(0, {fork, at(2, EventKind::kExec, 0, 0)});
  const auto shown = [&] {
    for (const snapshot::Target& target : (*live)->snapshot(0, "overall", {}).targets)
      if (target.pid == gone.pid()) return target.alive ? "alive" : "ended";
    return "unknown";
  };
  while (shown() == std::string("unknown")) {
    wait(**live);
    (*live)->service();
  }
  CHECK(shown() == std::string("ended"));
  CHECK(scene.fake.placed() == Places{{scene.idle.pid(), 0}});
}

TEST_CASE("live run: a run in which every operation is refused does not begin") {
  Scene scene;
  scene.fake.refuses[{0, 0}] = "an odd place";
  const auto live = scene.attach();
  REQUIRE_FALSE(live);
  CHECK(live.error().code == Exit::kUnavailable);
  CHECK(live.error().why == "every operation is refused:\n  f0: an odd place");
}
