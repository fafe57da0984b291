// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "figures/metric.h"
#include "lines.h"
#include "sample.h"
#include "terminal/table.h"

// Which columns tables have: those of samples beside those of probes, and what the metric ranks.
using namespace compmond;
using snapshot::Estimate;
using snapshot::Estimated;
using terminal::test::holds;
using terminal::test::line_with;
using terminal::test::wide;

namespace {

// Probes and samples side by side, as by default.
snapshot::Snapshot run_with_both() {
  snapshot::Snapshot s = terminal::test::file_host();
  snapshot::SamplesHealth& samples = s.health.samples.emplace();
  samples.hz = 99;
  samples.taken = 412;
  samples.lost = 3;
  samples.broken = 2;
  samples.elsewhere = 10;
  samples.off_cpu_share = 1;
  samples.cpu_ns = 4.2e9;
  for (snapshot::Component& c : s.components) {
    if (c.operations.empty()) {  // the sum of what is in it
      Estimated& sum = c.subtree.estimated.emplace();
      sum.cpu_ns = Estimate{1e9, 0.5e9, 1.5e9};
      sum.waiting_ns = Estimate{2e9, 1.9e9, 2.1e9};
      sum.samples = 100;
    }
    if (c.operations.empty() || c.status == snapshot::Status::kRefused) continue;
    Estimated e;
    e.cpu_ns = Estimate{double(c.figures.net_real_ns) / 4, 0, double(c.figures.net_real_ns) / 2};
    e.waiting_ns = Estimate{double(c.figures.net_real_ns) / 2, double(c.figures.net_real_ns) / 3,
                            double(c.figures.net_real_ns) * 0.6};
    e.samples = 50;
    c.figures.estimated = c.operations[0].figures.estimated = e;
  }
  return s;
}

std::string titles(const std::string& text) { return line_with(text, "component "); }

}  // namespace

TEST_CASE("table: beside probes it shows what samples tell, and that they were taken") {
  const std::string text = terminal::table(run_with_both(), wide(160));
  CAPTURE(text);
  CHECK(holds(titles(text), "net real  of wall    on CPU  "));
  CHECK(holds(line_with(text, "FSWriter"), "750 ms"));
  CHECK(holds(line_with(text, "FSWriter"), "1.50 s"));
  CHECK(holds(text, "on CPU and waiting: estimated from samples"));
  CHECK(holds(text, "412 samples at 99 Hz"));
  CHECK(holds(text, "3 samples lost"));
  CHECK(holds(text, "2,517,086 events"));
  CHECK_FALSE(holds(text, "no probe placed"));
  const std::string at_the_end = terminal::summary(run_with_both(), wide(160));
  CHECK(holds(line_with(at_the_end, "fh::FSWriter::run"), "750 ms"));
  CHECK(holds(at_the_end, "4.20 s on CPU"));
}

TEST_CASE("table: times on a CPU of a sum are those of its parts together") {
  const std::string line = line_with(terminal::table(run_with_both(), wide(200)), "Storage");
  CAPTURE(line);
  CHECK(holds(line, "1.00 s"));
  CHECK(holds(line, "±50 %"));  // less than those of the parts let expect: they share samples
}

TEST_CASE("table: before the first sample a run with probes says so") {
  snapshot::Snapshot s = run_with_both();
  s.health.samples->taken = s.health.samples->lost = 0;
  CHECK(holds(terminal::table(s, wide(110)), "no sample yet"));
}

TEST_CASE("table: on CPU and waiting outlast other columns where there is little room") {
  const std::string text = terminal::table(run_with_both(), wide(80));
  CAPTURE(text);
  CHECK(holds(titles(text), "on CPU"));
  CHECK(holds(titles(text), "waiting"));
  CHECK_FALSE(holds(titles(text), "±"));
  CHECK(holds(titles(terminal::table(run_with_both(), wide(200))), "±"));
}

TEST_CASE("table: what the metric ranks stands first, whatever the width") {
  std::map<figures::Figure, std::string> shown;
  for (const auto& metric : figures::metrics())
    for (const int width : {40, 60, 100, 160}) {
      snapshot::Snapshot s = run_with_both();
      s.metric = metric->name();
      const std::string line = titles(terminal::table(s, wide(width)));
      CAPTURE(metric->name());
      CAPTURE(line);
      const size_t title = line.find_first_not_of(' ', line.find(' ', line.find("hot")));
      const std::string first = line.substr(title, line.find("  ", title) - title);
      CHECK(shown.try_emplace(metric->ranks(), first).first->second == first);
    }
  std::map<std::string, figures::Figure> shows;  // without a column of its own it is another's
  for (const auto& [figure, title] : shown) {
    CAPTURE(title);
    CHECK(shows.try_emplace(title, figure).second);
  }
  CHECK(shown[figures::Figure::kMeanReal] == "mean net");
}

TEST_CASE("table: with the metric mean it shows the value that was ranked") {
  snapshot::Snapshot s = terminal::test::file_host();
  s.metric = "mean";
  s.components[0].figures.ranked = 200'000;
  CHECK(holds(line_with(terminal::table(s, wide(110)), "HTTPServer"), "200 µs"));
}

TEST_CASE("table: real times are without what waits by the spec") {
  snapshot::Snapshot s = terminal::test::file_host();
  snapshot::Figures& f = s.components[0].figures;
  f.net_real_ns = 3'000'000'000, f.waiting_ns = 2'500'000'000;
  const std::string line = line_with(terminal::table(s, wide(110)), "HTTPServer");
  CHECK(holds(line, "500 ms"));
  CHECK(holds(line, "2.50 s"));  // as waiting, where no samples tell of it
}

TEST_CASE("table: what stopped being called may be what deviates most") {
  snapshot::Snapshot s = terminal::test::file_host();
  s.metric = "deviation";
  snapshot::Figures& f = s.components[0].figures;
  f = {};
  f.hotness = 100;
  f.deviation_ns = -2e9;
  CHECK(holds(line_with(terminal::table(s, wide(110)), "HTTPServer"), "100"));
}

TEST_CASE(
    "table: calls that were left have columns with their count and share where there are some") {
  snapshot::Snapshot s = terminal::test::file_host();
  CHECK_FALSE(holds(titles(terminal::table(s, wide(160))), "failed"));
  CHECK_FALSE(holds(titles(terminal::table(s, wide(160))), "left"));
  snapshot::Figures& f = s.components[0].figures;
  f.closed = {.returned = 90, .abandoned = 10, .failed = 8, .jumped = 1};
  const std::string text = terminal::table(s, wide(160));
  CAPTURE(text);
  CHECK(holds(titles(text), "failed"));
  CHECK(holds(titles(text), "left"));
  CHECK(holds(line_with(text, "HTTPServer"), "8 8.00 %"));
  CHECK(holds(line_with(text, "HTTPServer"), "2 2.00 %"));
  CHECK(holds(terminal::summary(s, wide(160)), "8 failed · 2 left without a return"));
  CHECK_FALSE(holds(terminal::summary(s, wide(160)), "failed ≥"));
  f.closed.failed_at_least = true;
  CHECK(holds(line_with(terminal::table(s, wide(160)), "HTTPServer"), "≥8 ≥8.00 %"));
  CHECK(holds(terminal::summary(s, wide(160)), "≥8 failed · 2 left without a return"));
  CHECK(holds(terminal::summary(s, wide(160)), "failed ≥: exceptions were not watched all the"));
}

TEST_CASE("table: times that may be off, as ends lie within bounds, are marked") {
  snapshot::Snapshot s = terminal::test::file_host();
  snapshot::Figures& f = s.components[0].figures;
  f.unsure_ns = f.real_ns / 200;
  CHECK_FALSE(holds(line_with(terminal::table(s, wide(110)), "HTTPServer"), "!"));
  f.unsure_ns = f.real_ns / 50;
  CHECK(holds(line_with(terminal::table(s, wide(110)), "HTTPServer"), "!"));
  CHECK(holds(terminal::table(s, wide(110)), "! times may be off"));
}

TEST_CASE("summary: operations are sorted by what the metric ranks") {
  snapshot::Snapshot s = run_with_both();
  s.components[0].operations.push_back(
      terminal::test::operation("fh::busy", "ret-sites", "push", 10, 1'000));
  Estimated& busy = s.components[0].operations.back().figures.estimated.emplace();
  busy.cpu_ns = Estimate{3e9, 2e9, 4e9};
  busy.samples = 300;
  const auto first = [&](const std::string& metric) {
    s.metric = metric;
    const std::string text = terminal::summary(s, wide(110));
    return text.find("fh::busy") < text.find("fh::HTTPServer::run");
  };
  CHECK(first("on-cpu"));
  CHECK_FALSE(first("overall"));
}

TEST_CASE("table: a mean or percentile that is much probe cost is marked, and why") {
  snapshot::Snapshot s = terminal::test::file_host();
  const auto text = [&] { return terminal::table(s, wide(120)); };
  CHECK(holds(line_with(text(), "HTTPServer"), " 87.7 µs"));
  CHECK_FALSE(holds(text(), "~ mean"));
  s.components[0].figures.uncertain_below_ns = 100'000;
  CHECK(holds(line_with(text(), "HTTPServer"), "~87.7 µs"));
  CHECK(holds(line_with(text(), "HTTPServer"), "  263 µs"));
  CHECK(holds(text(), "~ mean, p99: over a third of it is what probes cost"));
}

TEST_CASE("table: sums keep the marks of what they sum up") {
  snapshot::Snapshot s = terminal::test::file_host();
  const auto storage = [&] { return line_with(terminal::table(s, wide(120)), "Storage"); };
  CHECK(holds(storage(), "Σ4.00 s"));
  s.components[4].figures.uncertain = true;
  CHECK(holds(storage(), "Σ~4.00 s"));
  s.components[5].figures.at_least = true;
  CHECK(holds(storage(), "≥5,400"));
  s.components[3].status = snapshot::Status::kPartial;
  CHECK(holds(storage(), "◐"));
}

TEST_CASE("table: a bound of time on a CPU is shown where it says more than the real time") {
  snapshot::Snapshot s = run_with_both();
  Estimated& e = *s.components[0].figures.estimated;
  e.samples = 2;
  e.cpu_ns = Estimate{2e6, 1e5, 40e6};
  const auto line = [&] { return line_with(terminal::table(s, wide(120)), "HTTPServer"); };
  CHECK(holds(line(), "<40.0 ms"));
  s.components[0].figures.net_real_ns = 30'000'000;
  CHECK_FALSE(holds(line(), "<40.0 ms"));
}

TEST_CASE("table: while probes were away times are estimates, and calls at least those seen") {
  snapshot::Snapshot s = run_with_both();
  for (snapshot::Component& c : s.components) {
    if (!c.figures.estimated) continue;
    c.figures.estimated->net_real_ns = Estimate{2e9, 1.9e9, 2.1e9};
    c.figures.observed_share = 0.5;
  }
  snapshot::Figures& away = s.components[0].figures;
  away.calls = away.closed.returned = 0;
  away.mean_ns = away.p99_ns = 0;
  away.at_least = s.components[1].figures.at_least = true;
  away.estimated->raw_ns = Estimate{3e9, 2.9e9, 3.1e9};
  const std::string text = terminal::table(s, wide(160));
  CAPTURE(text);
  CHECK(holds(line_with(text, "component "), "real       ±"));
  CHECK(holds(line_with(text, "HTTPServer"), "2.00 s    ±5 %"));
  CHECK(holds(line_with(text, "HTTPServer"), "3.00 s"));
  CHECK(holds(line_with(text, "HTTPServer"), "?"));
  CHECK_FALSE(holds(text, "≥0"));
  CHECK(holds(text, "? no call seen, which proves nothing here"));
  CHECK_FALSE(holds(text, "0 ns"));                      // of calls of which none was seen
  CHECK(holds(line_with(text, "DirReader"), "1.33 s"));  // as its probes saw it
  CHECK(holds(line_with(text, "DirReader"), "400"));
  CHECK(holds(text, "operations attached"));
  CHECK(holds(text, "≥ some calls were not seen"));
  const std::string foot = terminal::summary(s, wide(160));
  CHECK(holds(foot, "≥1,246,198 calls"));
  CHECK_FALSE(holds(foot, "net real time"));
}
