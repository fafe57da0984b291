// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "coverage.h"

// Whether the intervals hold, and whether what slices cannot tell is not told.
using namespace compmond;
using namespace compmond::counts;
using namespace compmond::counts::servers;

namespace {

constexpr int kRuns = 60;

// Four clients of different commands, of which one waits for no answer and one is far away.
Server unequal() {
  Server server;
  server.clients = {
      {4000, 1.0, {7, 20}}, {1500, 0.2, {8, 36}}, {800, 0.0, {9, 28}}, {1200, 0.6, {10, 20}}};
  server.items = 5;
  server.serve = [](Random& random, size_t client, double, bool, std::vector<double>& calls) {
    calls[client] = 1;
    calls[4] = double(std::poisson_distribution<int>(client == 1 ? 6 : 2)(random));
  };
  return server;
}

}  // namespace

TEST_CASE("simulation: intervals hold of clients that a slice slows unequally") {
  for (const Coverage& seen : cover_all(unequal(), kRuns, 1)) {
    INFO(seen.text());
    CHECK(seen.told >= 0.75 * seen.of);
    CHECK(seen.share() >= 0.9);
    CHECK(seen.half_width() <= 0.05);
    CHECK(seen.far == 0);
  }
}

TEST_CASE("simulation: they hold of calls in bursts after a minute") {
  Server server;
  server.seconds = 60;
  for (uint8_t fd = 7; fd < 11; ++fd) server.clients.push_back({1000, 1, {fd, 20}});
  server.items = 2;
  server.serve = [](Random& random, size_t, double, bool, std::vector<double>& calls) {
    calls[0] = 1;
    calls[1] = std::bernoulli_distribution(0.2)(random) ? 8 : 0;
  };
  for (const Coverage& seen : cover_all(server, kRuns, 11)) {
    INFO(seen.text());
    CHECK(seen.told >= 0.25 * seen.of);
    CHECK(seen.share() >= 0.9);
    CHECK(seen.far == 0);
  }
}

TEST_CASE("simulation: they hold where inputs were counted in windows, of a steady load") {
  Server server = unequal();
  server.windows = true;
  int held = 0, told = 0;
  for (const Coverage& seen : cover_all(server, kRuns / 2, 101)) {
    INFO(seen.text());
    CHECK(seen.told >= 0.75 * seen.of);
    CHECK(seen.half_width() <= 0.05);
    CHECK(seen.far == 0);
    held += seen.held;
    told += seen.told;
  }
  CHECK(held >= 0.9 * told);
}

TEST_CASE("simulation: and of a load in bursts") {
  Server server = unequal();
  server.windows = true;
  server.seconds = 40;
  server.activity = [](Random& random) {
    return std::bernoulli_distribution(0.3)(random) ? 2.4 : 0.4;
  };
  int held = 0, told = 0, of = 0;
  for (const Coverage& seen : cover_all(server, kRuns / 3, 111)) {
    INFO(seen.text());
    CHECK(seen.far == 0);
    held += seen.held;
    told += seen.told;
    of += seen.of;
  }
  CHECK(held >= 0.9 * told);
  CHECK(told >= 0.5 * of);
}

TEST_CASE(
    "simulation: what is done only while there is time is marked, and so is what else is done") {
  Server server;
  for (uint8_t fd = 7; fd < 27; ++fd) server.clients.push_back({300, 0.2, {fd, 20}});
  server.items = 3;
  server.serve = [](Random& random, size_t, double slow_down, bool, std::vector<double>& calls) {
    const bool full = std::bernoulli_distribution(std::pow(slow_down, -1.5))(random);
    calls[full ? 0 : 1] = 1;
    calls[2] = 1;
  };
  const std::vector<Coverage> seen = cover_all(server, kRuns, 21);
  const Coverage &full = seen[0], &shed = seen[1], &once = seen[2];
  INFO(full.text() << "; " << shed.text() << "; " << once.text());
  CHECK(full.told <= 0.05 * kRuns);
  CHECK(shed.told <= 0.05 * kRuns);
  CHECK(once.told >= 0.9 * kRuns);
  CHECK(once.share() >= 0.9);
}

TEST_CASE("simulation: what changes at the first probe shows in the first part of slices") {
  Server server;
  for (uint8_t fd = 7; fd < 27; ++fd) server.clients.push_back({300, 0.2, {fd, 20}});
  server.serve = [](Random& random, size_t, double slow_down, bool first,
                    std::vector<double>& calls) {
    // A queue that fills at the same rate whatever the slow-down.
    const double shed = slow_down <= 1 ? 0 : first ? 0.3 : 0.9;
    calls[0] = std::bernoulli_distribution(shed)(random) ? 8 : 20;
  };
  const Coverage leaf = cover_all(server, kRuns, 31)[0];
  INFO(leaf.text());
  CHECK(leaf.told <= 0.05 * kRuns);
}

TEST_CASE("simulation: two clients of one stratum that are slowed unequally are not told wrong") {
  Server server;
  server.clients = {{3000, 1.0, {7, 20}}, {1500, 0.0, {7, 20}}};
  server.items = 2;
  server.serve = [](Random&, size_t client, double, bool, std::vector<double>& calls) {
    calls[client] = 1;
  };
  for (const Coverage& seen : cover_all(server, kRuns, 41)) {
    INFO(seen.text());
    CHECK(seen.told <= 0.05 * kRuns);
  }
}
