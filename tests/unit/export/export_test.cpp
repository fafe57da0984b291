// SPDX-License-Identifier: Apache-2.0
#include "export/export.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "base/out.h"
#include "case.h"
#include "export/plantuml.h"

using namespace compmond;
using namespace compmond::exporting;
using namespace compmond::exporting::test;
using nlohmann::json;

namespace {

snapshot::Snapshot small_snapshot() {
  snapshot::Snapshot out;
  snapshot::Component shop, store;
  shop.name = "Shop, \"main\"";
  shop.figures.calls = 3;
  shop.figures.hotness = 100;
  snapshot::Operation buy;
  buy.name = "buy";
  buy.interface = snapshot::Interface::kIn;
  buy.exit_mode = snapshot::ExitMode::kRetSites;
  buy.figures.raw_ns = 7;
  shop.operations.push_back(buy);
  store.name = "Store";
  out.components = {shop, store};
  out.edges = {{std::nullopt, shop.name, 3, 10, false}, {shop.name, "Store", 0, 0, true}};
  return out;
}

}  // namespace

TEST_CASE("export: every format takes whatever names there are") {
  const Case evil(kEvil, kEvil);
  for (const ExportType& type : export_types()) {
    CAPTURE(type.name);
    if (type.of_log) CHECK_FALSE(exported(evil, type.name).empty());
    if (type.of_snapshot) CHECK_FALSE(exported(small_snapshot(), type.name).empty());
  }
  CHECK(json::accept(exported(evil, "chrome")));
  CHECK(json::accept(exported(evil, "speedscope")));
}

TEST_CASE("export: CSV has a line per execution, quoted where need be") {
  const std::string csv = exported(Case("a,b", "say \"hi\""), "csv");
  CHECK(contains(
      csv, "\n1,0,0,web,s,\"a,b\",\"say \"\"hi\"\"\",1000000000,1000001000,1000,700,0,700\n"));
  CHECK(contains(csv, "\n1,1,1,web,s,Store,get,1000000100,1000000400,300,300,0,300\n"));
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 6);
}

TEST_CASE("export: net real times are without what probes cost") {
  Case of("Shop", "buy");
  for (traces::TracedExecution& e : of.traces[0].executions) {
    e.inside_ns = 30;
    e.outside_ns = 50;
  }
  const std::string csv = exported(of, "csv");
  CHECK(contains(csv, "\n1,0,0,web,s,Shop,buy,1000000000,1000001000,1000,700,0,620\n"));
  CHECK(contains(csv, "\n1,1,1,web,s,Store,get,1000000100,1000000400,300,300,0,270\n"));
  CHECK(contains(csv, "\n2,1,1,web,s,Store,get,2000000100,2000000400,300,300,0,300\n"));
  CHECK(contains(exported(of, "folded"), "Shop.buy;Store.get 570\n"));
}

TEST_CASE("export: rows of trace events are threads, with their numbers, names and clock") {
  Case of;
  const uint32_t main =
      of.catalogue.thread({0, 100, 100, "main", "shopd", of.traces[0].start_ns() - 5'000});
  const uint32_t worker = of.catalogue.thread({0, 100, 107, "worker", "shopd", 1});
  for (auto& e : of.traces[0].executions) e.thread = main;
  for (auto& e : of.traces[1].executions) e.thread = worker;
  for (auto& e : of.traces[2].executions) e.thread = main;
  of.traces[1].executions[1].failed = true;
  const json events = json::parse(exported(of, "chrome"))["traceEvents"];
  std::vector<json> calls, names;
  for (const json& event : events) (event["ph"] == "X" ? calls : names).push_back(event);
  REQUIRE(calls.size() == 5);
  CHECK(calls[0]["ts"] == 5);  // µs of CLOCK_MONOTONIC
  CHECK(calls[0]["dur"] == 1);
  CHECK(calls[1]["ts"] == 5.1);
  for (const json& call : calls) CHECK(call["pid"] == 100);
  CHECK(calls[1]["tid"] == 100);
  CHECK(calls[2]["tid"] == 107);
  CHECK_FALSE(calls[2].contains("args"));
  CHECK(calls[3]["args"] == json({{"failed", true}}));
  REQUIRE(names.size() == 3);
  CHECK(names[0] ==
        json::parse(R"({"name":"process_name","ph":"M","pid":100,"args":{"name":"shopd"}})"));
  CHECK(names[2] ==
        json::parse(
            R"({"name":"thread_name","ph":"M","pid":100,"tid":107,"args":{"name":"worker"}})"));
}

TEST_CASE("export: trace events nest within their row, and overlapping traces take another") {
  Case of;
  // A second trace that overlaps the first one.
  traces::Trace& other = of.traces[1];
  for (auto& e : other.executions) {
    e.start_ns -= 1'000'000'000 - 500;
    e.end_ns -= 1'000'000'000 - 500;
  }
  const json events = json::parse(exported(of, "chrome"))["traceEvents"];
  std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> rows;
  for (const json& event : events)
    if (event["ph"] == "X")
      rows[{event["pid"], event["tid"]}].push_back(
          {event["ts"], event["ts"].get<double>() + event["dur"].get<double>()});
  CHECK(rows.size() == 2);
  for (const auto& [row, spans] : rows)
    for (const auto& a : spans)
      for (const auto& b : spans) {
        const bool apart = a.second <= b.first || b.second <= a.first;
        const bool nested = (a.first <= b.first && b.second <= a.second) ||
                            (b.first <= a.first && a.second <= b.second);
        CHECK((apart || nested));
      }
  CHECK(events.back()["args"]["name"] == "web");
}

TEST_CASE("export: speedscope's and folded stacks weigh real times, which add up") {
  const json profile = json::parse(exported(Case(), "speedscope"))["profiles"][0];
  CHECK(profile["samples"] == json::parse("[[0],[0,1]]"));
  CHECK(profile["weights"] == json::parse("[2400,600]"));
  CHECK(profile["endValue"] == 3000);
  CHECK(exported(Case(), "folded") == "Shop.buy(..) 2400\nShop.buy(..);Store.get 600\n");
}

TEST_CASE("export: a snapshot as CSV and as a graph, unseen connections dashed") {
  const snapshot::Snapshot snapshot = small_snapshot();
  const std::string csv = exported(snapshot, "csv");
  CHECK(contains(csv, "\n\"Shop, \"\"main\"\"\",,,,3,"));
  CHECK(contains(csv, "\n\"Shop, \"\"main\"\"\",buy,in,ret-sites,0,0,7,"));
  const std::string dot = exported(snapshot, "dot");
  CHECK(contains(dot, "n0 -> n1"));
  CHECK(contains(dot, "n1 -> n2 [label=\"\", penwidth=0.80, style=dashed]"));
  CHECK(contains(exported(snapshot, "svg"), "</svg>"));
  CHECK(contains(exported(snapshot, "plantuml"), "n1 ..> n2"));
}

TEST_CASE("export: every format is of something, and named where it is of that") {
  const auto listed = [](const std::vector<std::string>& names, const ExportType& type) {
    return std::ranges::count(names, std::string(type.name)) == 1;
  };
  for (const ExportType& type : export_types()) {
    CAPTURE(type.name);
    CHECK((type.of_log || type.of_snapshot || type.of_samples));
    CHECK(listed(export_names(&ExportType::of_log), type) == (type.of_log != nullptr));
    CHECK(listed(export_names(&ExportType::of_snapshot), type) == (type.of_snapshot != nullptr));
    CHECK(listed(export_names(&ExportType::of_samples), type) == (type.of_samples != nullptr));
  }
  CHECK_FALSE(bool(export_type("chrome")->of_snapshot));  // it wants single executions
  CHECK_FALSE(bool(export_type("perfetto")));
}

TEST_CASE("plantuml: what would be markup is written as character references") {
  CHECK(plantuml_text("f<int>") == "f<U+003C>int<U+003E>");
  CHECK(plantuml_text("__init") == "_<U+005F>init");
  CHECK(plantuml_text("a_b(..)") == "a_b(..)");
  CHECK(plantuml_text("x\ny") == "x\\ny");
}
