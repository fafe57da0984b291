// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "case.h"

// What exports make of a snapshot in which not everything is known.
using namespace compmond;
using namespace compmond::exporting;
using namespace compmond::exporting::test;
using snapshot::Estimate;
using snapshot::Estimated;
using snapshot::ExitMode;

namespace {

constexpr double kMs = 1e6;

Estimated estimated(double ms) {
  const Estimate e{ms * kMs, ms * 0.9 * kMs, ms * 1.1 * kMs};
  return {e, e, e, Estimate{}, 100};
}

// Shop is known by samples, Store was met by none of them.
snapshot::Snapshot sampled() {
  snapshot::Snapshot out;
  out.spec_name = "shop";
  out.metric = "overall";
  out.window_end_ns = 1'000'000'000;
  for (const char* name : {"Shop", "Store"}) {
    snapshot::Component& c = out.components.emplace_back();
    c.name = name;
    c.status = snapshot::Status::kSampled;
    c.figures.seen = false;
    snapshot::Operation& o = c.operations.emplace_back();
    o.name = "run";
    o.exit_mode = ExitMode::kNone;
    o.engine = "sampling";
    o.figures.seen = false;
  }
  Estimated met = estimated(200);
  out.components[0].figures.estimated = out.components[0].operations[0].figures.estimated = met;
  out.components[0].figures.hotness = 100;
  out.components[1].figures.estimated.emplace();
  out.edges = {{std::nullopt, "Shop", 0, 0, false, false, met},
               {"Shop", "Store", 0, 0, true, false}};
  out.health.samples.emplace().taken = 1'000;
  return out;
}

// The cells of the row of a component or operation, by title.
std::map<std::string, std::string> row(const snapshot::Snapshot& snapshot, size_t number) {
  std::istringstream lines(exported(snapshot, "csv"));
  const auto cells = [&] {
    std::string line, cell;
    std::getline(lines, line);
    std::vector<std::string> out;
    for (std::istringstream in(line + ",end"); std::getline(in, cell, ',');) out.push_back(cell);
    return out;
  };
  const std::vector<std::string> titles = cells();
  std::vector<std::string> values;
  for (size_t i = 0; i <= number; ++i) values = cells();
  REQUIRE(titles.size() == values.size());
  std::map<std::string, std::string> out;
  for (size_t i = 0; i < titles.size(); ++i) out[titles[i]] = values[i];
  return out;
}

}  // namespace

TEST_CASE("export: CSV of samples has their estimates, and nothing where nothing is known") {
  auto shop = row(sampled(), 0), run = row(sampled(), 1), store = row(sampled(), 2);
  for (const char* unknown :
       {"calls", "open", "raw_ns", "real_ns", "net_real_ns", "mean_ns", "p99_ns", "returned",
        "at_least", "observed_share", "marked_waiting_ns"})
    for (auto& cells : {&shop, &run, &store}) CHECK((*cells)[unknown].empty());
  CHECK(shop["status"] == "sampled");
  CHECK(run["engine"] == "sampling");
  CHECK(shop["cpu_ns"] == "200000000");
  CHECK(shop["cpu_low_ns"] == "180000000");
  CHECK(shop["estimated_raw_high_ns"] == "220000000");
  CHECK(shop["estimated_net_real_at_least"] == "0");
  CHECK(run["samples"] == "100");
  CHECK(shop["hotness"] == "100.000");
  CHECK(store["cpu_ns"].empty());
}

TEST_CASE("export: CSV beside probes has times on a CPU and waiting") {
  snapshot::Snapshot s = sampled();
  snapshot::Component& c = s.components[0];
  c.status = snapshot::Status::kAttached;
  c.figures.seen = c.operations[0].figures.seen = true;
  c.figures.calls = 7;
  c.figures.at_least = true;
  c.operations[0].exit_mode = ExitMode::kRetSites;
  auto shop = row(s, 0);
  CHECK(shop["calls"] == "7");
  CHECK(shop["at_least"] == "1");
  CHECK(shop["observed_share"] == "1");
  c.figures.observed_share = 0.25;
  CHECK(row(s, 0)["observed_share"] == "0.25");
  CHECK(shop["raw_ns"] == "0");
  CHECK(shop["marked_waiting_ns"] == "0");
  c.figures.waiting_ns = 5;
  CHECK(row(s, 0)["marked_waiting_ns"] == "5");
  CHECK(shop["mean_ns"].empty());  // no execution ended
  CHECK(shop["waiting_ns"] == "0");
  c.operations[0].exit_mode = ExitMode::kEntryOnly;
  CHECK(row(s, 1)["raw_ns"].empty());
  CHECK(row(s, 0)["raw_ns"].empty());
  c.operations[0].exit_mode = ExitMode::kRefused;
  CHECK(row(s, 1)["calls"].empty());
}

TEST_CASE("export: CSV has times of single executions where some ended, also in slices alone") {
  snapshot::Snapshot s = sampled();
  snapshot::Figures& figures = s.components[0].figures;
  s.components[0].status = snapshot::Status::kAttached;
  s.components[0].operations[0].exit_mode = ExitMode::kRetSites;
  figures.seen = true;
  figures.closed.cut = 3;  // and nothing else: nobody knows how long they took
  for (const char* title : {"mean_ns", "min_ns", "max_ns", "p50_ns", "p90_ns", "p99_ns"})
    CHECK(row(s, 0)[title].empty());
  figures.mean_ns = figures.p99_ns = 7;
  figures.closed.returned = 1;
  CHECK(row(s, 0)["p99_ns"] == "7");
  figures.closed = {};
  figures.sliced.emplace().seen = 40;
  CHECK(row(s, 0)["mean_ns"] == "7");
  CHECK(row(s, 0)["p99_ns"] == "7");
  CHECK(row(s, 0)["returned"] == "0");
}

TEST_CASE("export: graphs of samples show estimates as such, and no zero for what is unknown") {
  for (const char* format : {"dot", "plantuml", "svg"}) {
    CAPTURE(format);
    const std::string text = exported(sampled(), format);
    CAPTURE(text);
    CHECK(contains(text, "real ≈200 ms, 20.0 % of wall"));
    CHECK(contains(text, "hotness 100"));
    CHECK(contains(text, "in no sample"));
    CHECK(contains(text, "Time by caller: shop, estimated from 1,000 samples"));
    CHECK_FALSE(contains(text, "0 ns"));
    CHECK_FALSE(contains(text, "0 ×"));
  }
  snapshot::Snapshot s = sampled();
  s.components[0].figures.estimated->net_real_ns->at_least = true;
  CHECK(contains(exported(s, "dot"), "real ≥200 ms"));
  s.components[0].figures.estimated->own_samples = 2;
  CHECK(contains(exported(s, "dot"), "real <220 ms"));
  s.components[1].status = snapshot::Status::kRefused;
  CHECK(contains(exported(s, "dot"), "refused"));
}
