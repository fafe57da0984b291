// SPDX-License-Identifier: Apache-2.0
#include "export/report.h"

#include <doctest/doctest.h>

#include "case.h"

using namespace compmond;
using namespace compmond::exporting;
using namespace compmond::exporting::test;
using nlohmann::json;

TEST_CASE("report: every report can be written in each of its formats, whatever the names") {
  const Case evil(kEvil, kEvil);
  for (const ReportType& type : report_types()) {
    CAPTURE(type.name);
    for (const Format format : type.formats) {
      CAPTURE(to_text(format));
      const std::string text = evil.report(type.name, format);
      CHECK_FALSE(text.empty());
      if (format == Format::kJson) CHECK(json::accept(text));
      if (format != Format::kJson) {
        CHECK_FALSE(contains(text, "\x1b"));
        CHECK_FALSE(contains(text, "\x01"));
        CHECK_FALSE(contains(text, "\xff"));
        CHECK_FALSE(contains(text, "\u202e"));
      }
      if (format == Format::kSvg) {
        CHECK(contains(text, "</svg>"));
        CHECK_FALSE(contains(text, "<c>"));
      }
    }
  }
}

TEST_CASE("report: every report can be written of a log without traces but those about one trace") {
  Case empty;
  empty.traces.clear();
  for (const ReportType& type : report_types()) {
    CAPTURE(type.name);
    const std::string name = type.name;
    if (name == "sequence" || name == "trace-timing") continue;
    for (const Format format : type.formats) (void)empty.report(type.name, format);
  }
  StringOut out;
  const auto report = report_type("sequence")->make(empty.catalogue, {}, out);
  const auto done = report->finish({});
  REQUIRE_FALSE(done);
  CHECK(done.error().code == Exit::kNoInput);
}

TEST_CASE("report: the dependency graph as JSON") {
  const json graph = Case().json("dependency-graph");
  CHECK(graph["nodes"] ==
        json::parse(R"([{"name":"Shop","host":"web"},{"name":"Store","host":"web"}])"));
  CHECK(graph["edges"] == json::parse(R"([
    {"from":null,"to":"Shop","count":3,"raw_ns":{"min":1000,"mean":1000,"max":1000}},
    {"from":"Shop","to":"Store","count":2,"raw_ns":{"min":300,"mean":300,"max":300}}])"));
  CHECK(graph["level"] == "component");
  CHECK(graph["log"]["traces"] == 3);
}

TEST_CASE("report: call trees as JSON") {
  const json root = Case().json("aggregated-call-tree")["root"];
  CHECK(root["name"] == "$");
  CHECK(root["count"] == 3);
  REQUIRE(root["children"].size() == 1);
  CHECK(root["children"][0]["name"] == "Shop.buy(..)");
  CHECK(root["children"][0]["raw_ns"] == 3000);
  CHECK(root["children"][0]["real_ns"] == 2400);
  CHECK(root["children"][0]["children"][0]["count"] == 2);
  CHECK(Case().json("call-tree")["root"]["children"].size() == 3);
  ReportOptions one;
  one.trace = 2;
  CHECK(Case().json("call-tree", one)["root"]["children"].size() == 1);
}

TEST_CASE("report: equivalence classes as JSON, the larger ones first") {
  const json classes = Case().json("equivalence-classes")["classes"];
  REQUIRE(classes.size() == 2);
  CHECK(classes[0]["cardinality"] == 2);
  CHECK(classes[0]["executions"] == 2);
  CHECK(classes[0]["max_depth"] == 1);
  CHECK(classes[0]["representative"] == 1);
  CHECK(classes[0]["tree"]["children"][0]["children"][0]["raw_ns"] == 600);
  CHECK(classes[1]["representative"] == 3);
}

TEST_CASE("report: traces as JSON, with what broke") {
  const json traces = Case().json("traces");
  REQUIRE(traces["traces"].size() == 3);
  CHECK(traces["broken"] == 0);
  CHECK(traces["traces"][0]["executions"][1] == json::parse(R"({"eoi":1,"ess":1,"operation":"get",
    "component":"Store","host":"web","start_ns":1000000100,"end_ns":1000000400,"failed":false})"));
  CHECK(traces["traces"][2]["executions"][0]["failed"] == true);
}

TEST_CASE("report: the sequence of a class, and of a trace") {
  ReportOptions options;
  options.class_number = 1;
  json sequence = Case().json("sequence", options);
  CHECK(sequence["cardinality"] == 2);
  CHECK(sequence["lifelines"] == json{"Shop", "Store"});
  REQUIRE(sequence["messages"].size() == 4);
  CHECK(sequence["messages"][0]["from"] == nullptr);
  CHECK(sequence["messages"][1]["to"] == "Store");
  CHECK(sequence["messages"][2]["kind"] == "return");
  options = {};
  options.trace = 3;
  CHECK(Case().json("sequence", options)["messages"].size() == 2);
}

TEST_CASE("report: a trace or class that is not there is an error that says what is") {
  const auto failure = [](const ReportOptions& options) {
    const Case of;
    StringOut out;
    const auto report = report_type("sequence")->make(of.catalogue, options, out);
    for (const auto& trace : of.traces) report->add(trace);
    const auto done = report->finish({});
    REQUIRE_FALSE(done);
    return done.error();
  };
  ReportOptions options;
  options.trace = 99;
  CHECK(failure(options).what == "there is no trace 99");
  options = {};
  options.class_number = 3;
  CHECK(failure(options).why == "the log's traces form 2 classes");
  CHECK(failure(options).code == Exit::kNoInput);
}

TEST_CASE("report: what stands for the whole log says so where one trace was chosen") {
  const Case of;
  StringOut out;
  const auto report = report_type("sequence")->make(of.catalogue, {}, out);
  for (const auto& trace : of.traces) report->add(trace);
  CHECK(contains(report->note(), "trace 1, the first of 3"));
}

TEST_CASE("report: graphs beyond anybody's eyes are refused as pictures, not as data") {
  Case large;
  large.traces.clear();
  for (int64_t id = 0; id < 3000; ++id) {
    std::vector<traces::TracedExecution> one = {
        {id, 0, 1, large.catalogue.operation("C" + std::to_string(id), "f"), 0, 0, 0, 0, false}};
    traces::Trace trace;
    REQUIRE_FALSE(traces::build_trace(one, trace));
    large.traces.push_back(trace);
  }
  CHECK(large.json("dependency-graph")["nodes"].size() == 3000);
  StringOut out;
  ReportOptions options;
  options.format = Format::kSvg;
  const auto report = report_type("dependency-graph")->make(large.catalogue, options, out);
  for (const auto& trace : large.traces) report->add(trace);
  const auto done = report->finish({});
  REQUIRE_FALSE(done);
  CHECK(done.error().code == Exit::kData);
}

TEST_CASE("report: a call chain deeper than any stack is written in every format that takes it") {
  Case deep;
  deep.traces.clear();
  std::vector<traces::TracedExecution> chain;
  constexpr int kDepth = 200'000;
  for (int i = 0; i < kDepth; ++i)
    chain.push_back({1, uint64_t(i), uint64_t(2 * kDepth - i), 0, 0, 0, i, i, false});
  traces::Trace trace;
  REQUIRE_FALSE(traces::build_trace(chain, trace));
  deep.traces.push_back(trace);
  for (const Format format : {Format::kJson, Format::kText})
    CHECK(deep.report("call-tree", format).size() > kDepth);
}
