// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <optional>
#include <utility>
#include <vector>

#include "../engine/fake_engine.h"
#include "../run/idle.h"
#include "placing/placement.h"

namespace compmond::run::test {

using engine::test::Fake;
using Places = Fake::Places;

// Two engines, of which the second is tried after the first, and two processes.
struct Scene {
  explicit Scene(size_t operations = 2, std::vector<target::ObservedProcess> list = {})
      : plan(engine::test::plan_of(operations, {&first, &second})),
        states(plan),
        engines(engine::test::engines({&first, &second})),
        captures(*engines.open(plan, {})),
        processes(std::move(list), 0) {}

  // A process that is no target runs the program, too.
  void run_by_strangers() {
    stranger.emplace();
    struct stat st {};
    REQUIRE(::stat("/proc/self/exe", &st) == 0);
    plan.images[0].device = st.st_dev;
    plan.images[0].inode = st.st_ino;
  }

  std::optional<Idle> stranger;
  Fake first{"first"}, second{"second"};
  plan::Plan plan;
  plan::OperationStates states;
  engine::Engines engines;
  engine::Captures captures;
  target::ObservedProcesses processes;
  Notes notes;
  Placement placement{plan, states, captures, processes, notes};
};

inline std::vector<target::ObservedProcess> two_processes() {
  std::vector<target::ObservedProcess> out(2);
  out[0].pid = 1001;
  out[1].pid = 1002;
  return out;
}

}  // namespace compmond::run::test
