// SPDX-License-Identifier: Apache-2.0
#include "later/risk_watch.h"

#include <doctest/doctest.h>
#include <fcntl.h>

#include <thread>

#include "base/clock.h"

using namespace compmond;
using later::RiskWatch;

namespace {

plan::Way return_probe(const std::string& opening) {
  plan::Way out;
  out.engine = "one";
  out.trusts_images = true;
  out.opening = opening;
  return out;
}

plan::Way ret_sites(const std::string& refused = {}) {
  plan::Way out;
  out.engine = "one";
  out.exit = spec::ExitMode::kRetSites;
  out.refused = !refused.empty();
  out.reason = refused;
  return out;
}

// Of functions that are open, closed, open with unknown exits, and observed at their returns.
plan::Plan plan_of_four() {
  plan::Plan out;
  out.operations.resize(4);
  out.operations[0].ways = {return_probe("it calls through a pointer"), ret_sites()};
  out.operations[1].ways = {return_probe(""), ret_sites()};
  out.operations[2].ways = {return_probe("it calls f"), ret_sites("its exits are not all known")};
  out.operations[3].ways = {ret_sites()};
  return out;
}

struct Scene {
  explicit Scene(plan::LaterRisk risk) {
    auto opened = RiskWatch::open(plan, [risk](const plan::Candidate&) { return risk; });
    REQUIRE(opened);
    REQUIRE(*opened);
    watch = std::move(*opened);
  }
  std::vector<size_t> load() {
    sampling::Image image;
    image.path = "/lib/later.so";
    image.file = std::make_shared<const Fd>(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    watch->meet(image);
    for (;;) {
      auto out = watch->look(monotonic_ns(), states,
                             [this](std::string note) { notes.push_back(std::move(note)); });
      if (!out.empty()) return out;
      std::this_thread::yield();
    }
  }
  plan::Plan plan = plan_of_four();
  plan::OperationStates states{plan};
  std::vector<std::string> notes;
  std::optional<RiskWatch> watch;
};

}  // namespace

TEST_CASE("risk watch: there is none where no way was chosen by what the images show") {
  plan::Plan plan;
  plan.operations.resize(1);
  plan.operations[0].ways = {ret_sites()};
  const auto opened = RiskWatch::open(plan, {});
  REQUIRE(opened);
  CHECK_FALSE(*opened);
}

TEST_CASE("risk watch: who throws changes what is open, and ends it where exits are not known") {
  Scene scene({"", "later.so may throw through it"});
  CHECK(scene.load() == std::vector<size_t>{0, 2});
  CHECK(scene.states[0].way == 1);
  CHECK(scene.states[0].reason ==
        "ret-sites: later.so may throw through it: it calls through a pointer");
  CHECK(scene.states[1].way == 0);
  CHECK(scene.states[2].refused());
  CHECK(scene.states[2].reason ==
        "later.so may throw through it: it calls f, and its exits are not all known");
  CHECK(scene.states[2].unseen.open());
  CHECK(scene.states[3].way == 0);
  CHECK(scene.notes.size() == 2);
}

TEST_CASE("risk watch: what harms all frames changes all that trusts images") {
  Scene scene({"later.so switches stacks", ""});
  CHECK(scene.load() == std::vector<size_t>{0, 1, 2});
  CHECK(scene.states[1].way == 1);
  CHECK(scene.states[1].reason == "ret-sites: later.so switches stacks");
}
