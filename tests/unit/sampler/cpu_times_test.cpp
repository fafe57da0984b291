// SPDX-License-Identifier: Apache-2.0
#include "sampler/cpu_times.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <map>

using namespace compmond::sampler;

namespace {

// Processes whose CPU time is what the test says.
struct Scene {
  std::map<pid_t, uint64_t> used;
  CpuTimes times{[this](pid_t pid) -> std::optional<uint64_t> {
    const auto found = used.find(pid);
    if (found == used.end()) return std::nullopt;
    return found->second;
  }};
};

}  // namespace

TEST_CASE("cpu times: what was used before does not count, and nothing counts twice") {
  Scene scene{.used = {{7, 150}}};
  scene.times.add(7, 100);
  auto first = scene.times.take();
  REQUIRE(first.size() == 1);
  CHECK(first[0].pid == 7);
  CHECK(first[0].cpu_ns == 50);
  scene.times.add(7, 0);  // it is known
  CHECK(scene.times.take().empty());
  scene.used[7] = 160;
  CHECK(scene.times.take()[0].cpu_ns == 10);
}

TEST_CASE("cpu times: there are any once a process used some, until they are taken") {
  Scene scene{.used = {{7, 150}, {8, 20}}};
  CHECK_FALSE(scene.times.any());
  scene.times.add(7, 150);
  scene.times.add(8, 20);
  CHECK_FALSE(scene.times.any());
  scene.used[8] = 21;
  CHECK(scene.times.any());
  CHECK(scene.times.any());  // asking takes none
  (void)scene.times.take();
  CHECK_FALSE(scene.times.any());
  scene.used.erase(8);  // gone
  CHECK_FALSE(scene.times.any());
}

TEST_CASE("cpu times: of a process that ended, the rest is what was not told yet") {
  Scene scene{.used = {{7, 150}}};
  scene.times.add(7, 0);
  (void)scene.times.take();
  scene.used.clear();
  CHECK(scene.times.take().empty());  // gone, and nobody said yet how much it used
  CHECK(scene.times.remove(7, 180) == 30);
  CHECK(scene.times.remove(7, 180) == 0);
}

TEST_CASE("cpu times: a clock that lags behind takes nothing back") {
  Scene scene{.used = {{7, 150}}};
  scene.times.add(7, 200);
  CHECK(scene.times.take().empty());
  CHECK(scene.times.remove(7, 190) == 0);
}

TEST_CASE("cpu times: our own grow as we work, and none are those of nobody") {
  const auto before = process_cpu_ns(::getpid());
  REQUIRE(before);
  while (process_cpu_ns(::getpid()) <= before) {
  }
  CHECK_FALSE(process_cpu_ns(5'000'000));  // above the kernel's limit
}
