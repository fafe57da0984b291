// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>

#include "lines.h"
#include "sample.h"
#include "terminal/table.h"

using namespace compmond;
using snapshot::Estimate;
using snapshot::Estimated;
using snapshot::EvidenceKind;
using terminal::test::holds;

namespace {

constexpr double kMs = 1e6;

Estimated estimated(double cpu_ms, double waiting_ms, double raw_ms, uint64_t samples) {
  const auto of = [](double ms) { return Estimate{ms * kMs, ms * 0.9 * kMs, ms * 1.1 * kMs}; };
  return {of(raw_ms), of(cpu_ms + waiting_ms), of(cpu_ms), of(waiting_ms), samples};
}

void make_sampled(snapshot::Component& c, double hotness, const Estimated& e) {
  c.status = snapshot::Status::kSampled;
  c.figures = {};
  c.figures.hotness = hotness;
  c.figures.seen = false;
  c.figures.estimated = e;
  c.operations.front().figures = c.figures;
  c.operations.front().exit_mode = snapshot::ExitMode::kNone;
}

// Of 10 s: HTTPServer works and waits, FileHandler was met three times, the others never.
snapshot::Snapshot sampled_run() {
  snapshot::Snapshot s = terminal::test::empty_run();
  s.start_ns = s.window_start_ns = 100'000'000'000;
  s.window_end_ns = 110'000'000'000;
  s.components = {terminal::test::component("HTTPServer", 0, 0, 0),
                  terminal::test::component("FileHandler", 0, 0, 0),
                  terminal::test::refused("Gone", "its end is not known")};
  make_sampled(s.components[0], 100, estimated(1500, 500, 4000, 800));
  make_sampled(s.components[1], 1, estimated(15, 1, 15, 3));
  snapshot::Edge met{"HTTPServer", "FileHandler", 0, 0, true, false, estimated(0, 0, 40, 9)};
  snapshot::Edge unseen{"FileHandler", "HTTPServer", 0, 0, true, false};
  s.edges = {met, unseen};
  s.health.attached = 2;
  s.health.samples =
      snapshot::SamplesHealth{199, 1000, 0, 3, 20, 40, 0.5, {}, {}, 1.6e9, 0, 0, {}, {}};
  s.health.engines = {{"sampling", "timer", false}};
  auto& samples = *s.health.samples;
  samples.elsewhere_cpu_ns = Estimate{200 * kMs, 150 * kMs, 250 * kMs};
  samples.elsewhere_waiting_ns = Estimate{1500 * kMs, 1400 * kMs, 1600 * kMs};
  samples.waiting_ns = 2e9;
  samples.elsewhere_by_image = {{"/lib/libc.so.6", {150 * kMs, 0, 0}, {1500 * kMs, 0, 0}},
                                {"", {50 * kMs, 0, 0}, {}}};
  return s;
}

const terminal::Style kPlain = terminal::test::wide(110);

}  // namespace

TEST_CASE("sampled: times have their spread, and nothing is said of calls") {
  const std::string text = terminal::table(sampled_run(), kPlain);
  CAPTURE(text);
  CHECK(holds(text, "on CPU   waiting"));
  CHECK(holds(text, "2.00 s   ±10 %   20.0 %    1.50 s    500 ms    4.00 s"));
  CHECK_FALSE(holds(text, "calls"));
  CHECK(holds(text, "1,000 samples at 199 Hz"));
  CHECK(holds(text, "no probe placed"));
  CHECK(holds(text, "12.5 % of CPU time, 75.0 % of waiting elsewhere"));
  CHECK(holds(text, "2.00 % broken"));
  CHECK(holds(text, "waiting sampled 50.0 % of the time"));
}

TEST_CASE("sampled: what is elsewhere is told by file, on a CPU and waiting") {
  const std::string text = terminal::summary(sampled_run(), kPlain);
  CAPTURE(text);
  CHECK(holds(text, "Below no operation, by file"));
  CHECK(holds(text, "libc.so.6 150 ms on CPU, 1.50 s waiting · code of no file 50.0 ms on CPU"));
}

TEST_CASE("sampled: below five samples only a bound is shown") {
  const std::string text = terminal::table(sampled_run(), kPlain);
  CAPTURE(text);
  CHECK(holds(text, "<17.6 ms"));
  CHECK_FALSE(holds(text, "15.0 ms"));
  CHECK(holds(text, "< too few samples for a value"));
}

TEST_CASE("sampled: a component that is refused says why") {
  CHECK(holds(terminal::table(sampled_run(), kPlain), "refused: its end is not known"));
}

TEST_CASE("sampled: the summary tells time by caller, and what of the spec was not seen") {
  const std::string text = terminal::summary(sampled_run(), kPlain);
  CAPTURE(text);
  CHECK(holds(text, "Time by caller"));
  CHECK(holds(text, "HTTPServer → FileHandler"));
  CHECK(holds(text, "in the spec, not seen in 1,000 samples: FileHandler → HTTPServer"));
  CHECK_FALSE(holds(text, "never taken"));
  CHECK(holds(text, "1,000 samples · 1.60 s on CPU · 3 components"));
}

TEST_CASE("sampled: where stacks were cut the raw time is marked") {
  snapshot::Snapshot s = sampled_run();
  CHECK_FALSE(holds(terminal::table(s, kPlain), "≥"));
  s.components[0].figures.estimated->raw_ns->at_least = true;
  const std::string text = terminal::table(s, kPlain);
  CHECK(holds(text, "≥4.00 s"));
  CHECK(holds(text, "≥ may be more"));
}

TEST_CASE("sampled: before the first sample there is a sentence, not a table of zeros") {
  snapshot::Snapshot s = sampled_run();
  s.health.samples->taken = 0;
  const std::string text = terminal::table(s, kPlain);
  CHECK(holds(text, "No sample yet"));
  CHECK_FALSE(holds(text, "HTTPServer"));
}

TEST_CASE("sampled: what is not known yet is told, and shares are of the rest") {
  snapshot::Snapshot s = sampled_run();
  CHECK(!holds(terminal::table(s, kPlain), "samples: to"));
  s.health.samples->known_until_ns = s.now_ns = s.window_end_ns;  // of a run that has ended
  CHECK(!holds(terminal::table(s, kPlain), "samples: to"));
  s.health.samples->known_until_ns = s.window_start_ns + 5'000'000'000;
  const std::string text = terminal::table(s, kPlain);
  CAPTURE(text);
  CHECK(holds(text, "samples: to 5.0 s ago"));
  CHECK(holds(text, "2.00 s   ±10 %   40.0 %"));
  s.now_ns += 3'000'000'000;
  CHECK(holds(terminal::table(s, kPlain), "samples: to 8.0 s ago"));
  s.health.samples->known_until_ns = s.window_end_ns + 1;
  CHECK(!holds(terminal::table(s, kPlain), "samples: to"));
}

TEST_CASE("sampled: where waiting was sampled only part of the time it and real are marked") {
  snapshot::Snapshot s = sampled_run();
  Estimated& e = *s.components[0].figures.estimated;
  e.waiting_ns->at_least = e.net_real_ns->at_least = true;
  const std::string text = terminal::table(s, kPlain);
  CAPTURE(text);
  CHECK(holds(text, "≥2.00 s   ±10 %  ≥20.0 %    1.50 s   ≥500 ms    4.00 s"));
  CHECK(holds(text, "≥ may be more: cut stacks, tail calls, or unseen waits"));
}

TEST_CASE("sampled: where waiting was not sampled at all there is no figure of it") {
  snapshot::Snapshot s = sampled_run();
  s.components[0].figures.estimated->waiting_ns = Estimate{};
  const std::string text = terminal::table(s, kPlain);
  CAPTURE(text);
  CHECK(holds(text, "1.50 s         –    4.00 s"));
}

TEST_CASE("sampled: own times of few own samples are a bound, whatever raw rests on") {
  snapshot::Snapshot s = sampled_run();
  Estimated& e = *s.components[0].figures.estimated;
  e.own_samples = 4;
  const std::string few_own = terminal::table(s, kPlain);
  CAPTURE(few_own);
  CHECK(holds(few_own, "<2.20 s        –   <1.65 s   <550 ms    4.00 s"));
  CHECK(holds(few_own, "< too few samples for a value"));
  // Five in all, of which hardly one was on a CPU.
  e.own_samples = 5;
  e.cpu_ns = Estimate{1.5e9, 0.2e9, 8.5e9};
  const std::string one_on_cpu = terminal::table(s, kPlain);
  CAPTURE(one_on_cpu);
  CHECK(holds(one_on_cpu, "2.00 s   ±10 %   20.0 %   <8.50 s    500 ms    4.00 s"));
}

TEST_CASE("sampled: sums keep the marks of what they sum up") {
  snapshot::Snapshot sampled = sampled_run();
  snapshot::Component group;
  group.name = "Group";
  group.status = snapshot::Status::kSampled;
  group.subtree.seen = false;
  group.subtree.estimated = estimated(1500, 500, 4000, 800);
  group.subtree.estimated->net_real_ns->at_least = true;
  sampled.components.push_back(group);
  CHECK(holds(terminal::test::line_with(terminal::table(sampled, kPlain), "Group"), "Σ≥2.00 s"));
}

TEST_CASE("sampled: where some calls are seen these are shown, and all times are estimates") {
  snapshot::Snapshot s = sampled_run();
  s.components.push_back(terminal::test::component("Probed", 1'234, 9'000'000, 2));
  s.components.back().figures.estimated = estimated(7, 2, 9, 20);
  const std::string text = terminal::table(s, terminal::test::wide(140));
  CAPTURE(text);
  CHECK(holds(terminal::test::line_with(text, "Probed"), "1,234"));
  CHECK(holds(terminal::test::line_with(text, "component "), "calls"));
  CHECK_FALSE(holds(text, "no probe placed"));
  CHECK(holds(terminal::summary(s, terminal::test::wide(140)), "sampled"));
}

TEST_CASE("sampled: calls by caller are a column where slices tell some, and blank elsewhere") {
  snapshot::Snapshot s = sampled_run();
  const auto line = [&](const char* part) {
    return terminal::test::line_with(terminal::summary(s, kPlain), part);
  };
  CHECK(line("HTTPServer → FileHandler").ends_with("40.0 ms   ±10 %"));
  s.edges[0].estimated->calls = snapshot::CallsEstimate{147'877, 140'500, 155'200};
  snapshot::Edge sliced{"FileHandler", "Gone", 0, 0, false, false, Estimated{}};  // in no sample
  sliced.estimated->calls = snapshot::CallsEstimate{1'234, 1'200, 1'268};
  const snapshot::Edge not_told{"Gone", "FileHandler", 0, 0, false, false, estimated(0, 0, 20, 9)};
  s.edges.insert(s.edges.end(), {sliced, not_told});
  CHECK(line("raw       ±").ends_with("calls"));
  CHECK(line("HTTPServer → FileHandler").ends_with("40.0 ms   ±10 %  ≈147,877 ±5 %"));
  CHECK(line("FileHandler → Gone").ends_with("–            ≈1,234 ±3 %"));
  CHECK(line("Gone → FileHandler").ends_with("20.0 ms   ±10 %"));

  snapshot::Edge more = sliced;
  more.to = "Else";
  more.estimated->calls = snapshot::CallsEstimate{5'678, 5'600, 5'756};
  s.edges.push_back(more);
  const std::string all = terminal::summary(s, kPlain);
  CHECK(all.find("FileHandler → Else") < all.find("FileHandler → Gone"));
}
