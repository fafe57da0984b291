// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>

#include "lines.h"
#include "sample.h"
#include "terminal/table.h"

using namespace compmond;
using namespace compmond::terminal;
using namespace compmond::terminal::test;

TEST_CASE("summary: totals, operations, edges, refusals and costs") {
  const std::string text = summary(file_host(), wide(130));
  CHECK(holds(text, "1,258,543 calls · 10.3 s net real time · 10 components · 2 still running"));
  CHECK(holds(line_with(text, "fh::FileEncrypter::run(fh::Request const&)"),
              "5,000  1.33 ms  4.00 ms  ret-sites"));
  CHECK(holds(line_with(text, "fh::HTTPServer::accept(int)"), "–         77"));
  CHECK(holds(text, "1 never called"));
  CHECK(holds(line_with(text, "(outside) → HTTPServer"), "12,345   9.00 s"));
  CHECK(holds(line_with(text, "FileEncrypter → Storage/FSWriter"), "not in the spec"));
  CHECK(holds(line_with(text, "HTTPServer → PluginManager"), "in the spec, never taken"));
  CHECK(holds(text,
              "  fh::UploadManager::resume*\n    no symbol matches; the nearest is "
              "fh::UploadManager::reset()\n"));
  CHECK(holds(line_with(text, "push, ret-sites"), "870 ns          1.23 µs"));
}

TEST_CASE("summary: beside estimated calls the sum is of those that probes saw") {
  snapshot::Snapshot s = file_host();
  s.components[0].figures.estimated.emplace().calls =
      snapshot::CallsEstimate{5'000'000, 4'900'000, 5'100'000};
  CHECK(holds(summary(s, wide(130)), "1,258,543 calls seen by probes · "));
}

TEST_CASE("summary: the components come last, where a terminal shows them without scrolling") {
  snapshot::Snapshot s = file_host();
  s.health.notes = {"a note"};
  const std::string text = summary(s, wide(100));
  const size_t table = text.find("\nComponents\n");
  REQUIRE(table != std::string::npos);
  for (const char* title :
       {"Operations\n", "Calls between components\n", "Cost of the probes", "Refused\n", "Notes\n"})
    CHECK_MESSAGE(text.find(title) < table, title);
  CHECK(lines_of(text.substr(table)).size() <= 24);
}

TEST_CASE("summary: components without a call share a line") {
  snapshot::Snapshot s = file_host();
  s.components.push_back(component("Idle", 0, 0, 0));
  CHECK(holds(summary(s, wide(100)), "  never called: Idle (1) · PluginManager (1)\n"));
}

TEST_CASE("summary: what watching exceptions took is told beside what a call takes") {
  snapshot::Snapshot s = file_host();
  CHECK_FALSE(holds(summary(s, wide(100)), "exceptions and jumps"));
  s.health.transfers = 1200;
  s.health.transfers_ns = 6'000'000;
  CHECK(
      holds(summary(s, wide(100)),
            "  exceptions and jumps: 1,200 seen where they begin or are caught, 6.00 ms in all\n"));
  s.health.beside_ns = 24'000'000;
  CHECK(holds(summary(s, wide(100)),
              "  beside calls: 24.0 ms for samples, slices, and probes that came and went\n"));
}

TEST_CASE("summary: the dearest probes are named with their share of the cost") {
  snapshot::Snapshot s = file_host();
  s.components = {component("A", 0, 0, 0)};
  s.components[0].operations = {operation("often", "ret-sites", "push", 75, 1),
                                operation("seldom", "ret-sites", "push", 25, 1)};
  CHECK(holds(summary(s, wide(100)), "  dearest in all: often 75.0 % · seldom 25.0 %\n"));
  s.health.probe_cost[0].engine = "one";  // the cost of no other
  s.components[0].operations[0].engine = "one";
  s.components[0].operations[1].engine = "two";
  CHECK(holds(summary(s, wide(100)), "  dearest in all: often 100 %\n"));
}

TEST_CASE("summary: sections without content are left out") {
  const std::string text = summary(empty_run(), wide(80));
  for (const char* title : {"Refused", "Cost of the", "Notes", "Calls between"})
    CHECK_FALSE(holds(text, title));
}

TEST_CASE("summary: an operation refused in a component alone is listed, each symbol once") {
  snapshot::Snapshot s = file_host();
  s.health.refused.clear();
  const std::string text = summary(s, wide(100));
  CHECK(holds(text, "Refused\n  fh::AccessControl::walk\n    the function cannot be decoded"));
}

TEST_CASE("summary: where events were lost, nothing is said to be never called or never taken") {
  snapshot::Snapshot s = file_host();
  s.health.lost = 1;
  const std::string text = summary(s, wide(100));
  CHECK_FALSE(holds(text, "never"));
  CHECK(holds(text, "in the spec, not seen"));
}

TEST_CASE(
    "summary: where probes were away, what was not seen is told with how long they were there") {
  snapshot::Snapshot s = file_host();
  s.components.push_back(component("Idle", 0, 0, 0));
  s.components.back().figures.observed_share = 0.83;
  s.components.back().operations.front().figures.observed_share = 0.83;
  s.edges.push_back({"HTTPServer", "Idle", 0, 0, true});
  const std::string text = summary(s, wide(130));
  CAPTURE(text);
  CHECK(holds(text, "not seen while observed 83.0 %: Idle (1)\n"));
  CHECK(holds(text, "in the spec, not seen while observed 83.0 %: HTTPServer → Idle\n"));
  CHECK(holds(line_with(text, "HTTPServer → PluginManager"), "in the spec, never taken"));
}

TEST_CASE("summary: without connections in the spec no edge is called undeclared") {
  snapshot::Snapshot s = file_host();
  for (snapshot::Edge& e : s.edges) e.declared = false;
  CHECK_FALSE(holds(summary(s, wide(120)), "not in the spec"));
}

TEST_CASE("summary: of many operations the dearest are shown and the others counted") {
  snapshot::Snapshot s = file_host();
  s.components = {component("A", 1, 1, 100)};
  for (int i = 1; i <= 7; ++i)
    s.components[0].operations.push_back(
        operation("op" + std::to_string(i), "ret-sites", "push", 1, uint64_t(i) * 1000));
  const std::string text = summary(s, wide(100));
  CHECK(holds(text, "op7"));
  CHECK(holds(text, "op3"));
  CHECK_FALSE(holds(text, "    op2"));
  CHECK(holds(text, "    3 more\n"));
}

TEST_CASE("summary: notes and throttled probes are whole") {
  snapshot::Snapshot s = file_host();
  s.health.notes = {
      "The clock was moved while the program ran, and so the first window may be off by a second."};
  s.health.throttled = {"fh::hot", "fh::Storage::write_encrypted(fh::File const&, int)"};
  const std::string text = summary(s, wide(60));
  CHECK(holds(text,
              "\n  The clock was moved while the program ran, and so the\n  first window may be "
              "off by a second.\n"));
  CHECK(holds(text,
              "  detached to keep the overhead down: fh::hot ·\n  "
              "fh::Storage::write_encrypted(fh::File const&, int)\n"));
}
