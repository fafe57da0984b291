// SPDX-License-Identifier: Apache-2.0
// What the table says of figures that are missing or may be wrong.
#include <doctest/doctest.h>

#include <algorithm>

#include "lines.h"
#include "sample.h"
#include "terminal/table.h"
#include "text/numbers.h"

using namespace compmond;
using namespace compmond::terminal;
using namespace compmond::terminal::test;

TEST_CASE("table: an empty window is told in a sentence") {
  CHECK(table(empty_run(), wide(80)) ==
        "filehost · pid 4711 · 1 thread     last 10.0 s · metric overall · 42.0 s elapsed\n"
        "\n"
        "Attached to 22 operations, none called in this window.\n"
        "Give the program work, or widen the window.\n"
        "\n"
        "● all 22 operations attached · 0 events · none lost\n");
}

TEST_CASE("table: an empty window still names what was refused") {
  snapshot::Snapshot s = empty_run();
  s.components.push_back(refused("AccessControl", "no such symbol"));
  const std::string text = table(s, wide(80));
  CHECK(holds(text, "Attached to 22 operations, none called in this window."));
  CHECK(holds(text, "AccessControl  refused: no such symbol"));
}

TEST_CASE(
    "table: an empty window in which events were lost does not claim that nothing was called") {
  snapshot::Snapshot s = empty_run();
  s.health.lost = 3;
  s.health.hits = 3;
  const std::string text = table(s, wide(80));
  CHECK_FALSE(holds(text, "none called"));
  CHECK(holds(text, "No call was seen, but events were lost."));
  CHECK(holds(text, "3 lost (100 %)"));
}

TEST_CASE("table: nothing attached is said so") {
  snapshot::Snapshot s = empty_run();
  s.health.attached = 0;
  s.components = {refused("A", "IFUNC")};
  const std::string text = table(s, wide(80));
  CHECK(holds(text, "Nothing is attached: every operation was refused."));
  CHECK(holds(text, "A          refused: IFUNC"));
  CHECK(holds(text, "● no operation attached"));
}

TEST_CASE("table: a zero is shown only where it is proven") {
  snapshot::Snapshot s = file_host();
  CHECK(line_with(table(s, wide(60)), "PluginManager") ==
        "PluginManager            –         –        –          0");
  s.health.lost = 1;
  CHECK(line_with(table(s, wide(60)), "PluginManager") ==
        "PluginManager            –         –        –          ?");
  CHECK(holds(table(s, wide(60)), "? no call seen, which proves nothing here"));
  s.health.lost = 0;
  s.health.throttled = {s.components[2].operations[0].symbol};  // since the window's end
  CHECK(line_with(table(s, wide(60)), "PluginManager").back() == '0');
  s.health.throttled.clear();  // there again, away for a part of the window
  s.components[2].figures.observed_share = 0.5;
  CHECK(line_with(table(s, wide(60)), "PluginManager").back() == '?');
  s.components[2].figures.observed_share.reset();
  s.components[2].status = snapshot::Status::kPartial;
  CHECK(line_with(table(s, wide(60)), "PluginManager") ==
        "PluginManager            –         –        –          ?  ◐");
}

TEST_CASE("table: figures that miss calls are marked, and the mark explained") {
  snapshot::Snapshot s = file_host();
  CHECK_FALSE(holds(table(s, wide(80)), "≥"));
  s.components[0].figures.at_least = true;
  s.components[2].figures.at_least = true;
  CHECK(holds(line_with(table(s, wide(80)), "HTTPServer"), "≥12,345"));
  CHECK(holds(line_with(table(s, wide(80)), "PluginManager"), "?"));
  CHECK(holds(table(s, wide(80)), "≥ some calls were not seen"));
  s.components[0].operations[0].figures.at_least = true;
  CHECK(holds(summary(s, wide(120)), "≥12,345"));
  Style style = wide(80);
  style.unicode = false;
  CHECK(holds(line_with(table(s, style), "HTTPServer"), ">12,345"));
}

TEST_CASE(
    "table: what grows with calls is at least that where calls are missing, and the rest told") {
  snapshot::Snapshot s = file_host();
  CHECK_FALSE(holds(table(s, wide(140)), "of the calls that were seen"));
  s.components[0].figures.at_least = true;
  s.components[0].figures.observed_share = 0.4;
  const std::string text = table(s, wide(140));
  CAPTURE(text);
  CHECK(holds(line_with(text, "HTTPServer"), "  812 ms   8.12 %  ≥1.08 s    ≥12,345   ≥1,235"));
  CHECK(holds(line_with(text, "HTTPServer"), "  87.7 µs   263 µs"));
  CHECK(holds(text, "mean, p99: of the calls that were seen"));
  s.components[0].figures.uncertain = true;  // as without samples
  CHECK(holds(table(s, wide(140)), "~812 ms"));
  CHECK(holds(table(s, wide(140)), "~ uncertain: probes were away for a part of the time"));
  CHECK(holds(summary(s, wide(140)), " calls · ~"));
}

TEST_CASE("table: one sign has one line in the legend, and that of a sum has one, too") {
  snapshot::Snapshot s = file_host();
  // Of Storage one part was not all seen.
  s.components[5].figures = {};
  s.components[5].figures.at_least = true;
  CHECK(holds(line_with(table(s, wide(100)), "Storage"), "≥5,400"));
  CHECK(holds(table(s, wide(100)), "≥ some calls were not seen"));
  snapshot::Estimated cut;
  cut.cpu_ns = {{1e9, 0.9e9, 1.1e9}, true};
  cut.samples = 100;
  s.components[0].figures.estimated = cut;
  const std::string text = table(s, wide(140));
  CHECK(holds(text, "≥ may be more: calls not seen, cut stacks, tail calls, or unseen waits"));
  CHECK_FALSE(holds(text, "≥ some calls were not seen"));
}

TEST_CASE("table: operations that are refused and those that are away are told apart") {
  snapshot::Snapshot s = file_host();
  for (snapshot::Component& c : s.components) c.status = snapshot::Status::kAttached;
  CHECK_FALSE(holds(table(s, wide(100)), "◐"));
  s.components[0].status = snapshot::Status::kPartial;
  CHECK(holds(table(s, wide(100)), "◐ probes of some are away"));
  s.components[0].operations[0].exit_mode = snapshot::ExitMode::kRefused;
  CHECK(holds(table(s, wide(100)), "◐ some not attached"));
  CHECK_FALSE(holds(table(s, wide(100)), "◐ probes of some are away"));
}

TEST_CASE("summary: an operation that was refused while it was observed keeps its row") {
  snapshot::Snapshot s = file_host();
  snapshot::Operation& op = s.components[0].operations[0];
  op.exit_mode = snapshot::ExitMode::kRefused;
  const std::string row = "  " + op.name;
  CHECK_FALSE(holds(line_with(summary(s, wide(140)), row), "12,345"));  // only named
  op.figures.at_least = true;
  CHECK(holds(line_with(summary(s, wide(140)), row), "≥12,345"));
}

TEST_CASE("table: calls between components of which some were not seen are at least those") {
  snapshot::Snapshot s = file_host();
  REQUIRE_FALSE(s.edges.empty());
  const snapshot::Edge taken = s.edges.front();
  const std::string count = text::count(taken.count);
  CHECK_FALSE(holds(summary(s, wide(120)), "≥" + count));
  const auto callee = std::ranges::find(s.components, taken.to, &snapshot::Component::name);
  REQUIRE(callee != s.components.end());
  callee->figures.at_least = true;
  CHECK(holds(line_with(summary(s, wide(120)), " → " + taken.to), "≥" + count));
}

TEST_CASE("table: components that are only counted have no times") {
  snapshot::Snapshot s = file_host();
  s.components[6].operations[0].exit_mode = snapshot::ExitMode::kEntryOnly;
  CHECK(line_with(table(s, wide(60)), "FileEncrypter") ==
        "FileEncrypter            –         –        –      5,000");
  CHECK(holds(table(s, wide(60)), "– counted, not timed"));
}

TEST_CASE("table: the legend explains the marks that are there, and no others") {
  snapshot::Snapshot s = file_host();
  s.components = {component("A", 10, 1'000, 100)};
  const std::string text = table(s, wide(80));
  for (const char* mark : {"~", "! ", "◐", "▸", "Σ", "^"}) CHECK_FALSE(holds(text, mark));
  s.components[0].figures.truncated = 1;
  CHECK(holds(table(s, wide(80)), "^ too deep: some ends were not seen"));
}

TEST_CASE("table: accounts that do not balance are loud, on the lowest terminal as well") {
  snapshot::Snapshot s = file_host();
  s.health.balanced = false;
  s.health.hits += 5;
  for (int height : {0, 24, 4}) {
    const std::string text = table(s, wide(100, height));
    CHECK(holds(text, "DO NOT TRUST THESE FIGURES"));
    CHECK(holds(text, "2,517,091 hits, 2,517,086 delivered, 0 lost, 0 pending"));
  }
  Style style = wide(100);
  style.colour = true;
  CHECK(holds(table(s, style), "\x1b[1;97;41m DO NOT TRUST"));
}

TEST_CASE("table: orphan exits, evictions and lost events show when there are any") {
  snapshot::Snapshot s = file_host();
  CHECK_FALSE(holds(table(s, wide(100)), "orphan"));
  s.health.orphan_exits = 1;
  s.health.evicted = 2;
  s.health.lost = 25'171;
  s.health.lost_ring = 25'000;
  s.health.lost_slots = 171;
  s.health.lost_refused = 3;
  const std::string text = table(s, wide(200));
  CHECK(holds(text, "1 orphan exit"));
  CHECK_FALSE(holds(text, "orphan exits"));
  CHECK(holds(text, "2 evicted"));
  CHECK(holds(text,
              "25,171 lost (1.00 %), 25,000 in full buffers, 171 for want of thread slots, "
              "3 refused as not to be believed"));
}

TEST_CASE("table: an overhead of five percent stands out") {
  snapshot::Snapshot s = file_host();
  Style style = wide(100);
  style.colour = true;
  CHECK_FALSE(holds(table(s, style), "\x1b[38;5;214moverhead"));
  s.health.overhead_pct = 30.8;
  CHECK(holds(table(s, style), "\x1b[38;5;214moverhead 30.8 %: times suffer from the probes"));
  s.health.overhead_pct = 6.1;
  CHECK(holds(table(s, style), "overhead 6.10 %"));
  CHECK_FALSE(holds(table(s, style), "suffer"));
}

TEST_CASE("table: what others pay stands beside the overhead") {
  snapshot::Snapshot s = file_host();
  Style style = wide(160);
  style.colour = true;
  CHECK_FALSE(holds(table(s, style), "other process"));
  s.health.strangers = snapshot::Health::Strangers{20, 1, false, 1.5e6, 0.3, {"/lib/libx.so"}};
  CHECK(holds(table(s, style), "1 other process pays 0.30 %"));
  CHECK_FALSE(holds(table(s, style), "\x1b[38;5;214m1 other process"));
  s.health.strangers = snapshot::Health::Strangers{20, 1024, true, 1.5e6, 30, {"/lib/libx.so"}};
  CHECK(holds(table(s, style), "\x1b[38;5;214mat least 1,024 other processes pay 30.0 %"));
  s.health.strangers->cost_pct.reset();  // of no CPU time of the targets
  CHECK(holds(table(s, style), "\x1b[38;5;214mat least 1,024 other processes pay 1.50 ms"));
}

TEST_CASE("table: a window that is over before the run is no last seconds") {
  snapshot::Snapshot s = file_host();  // begun at 100 s, its window from 132 to 142 s
  s.now_ns = s.window_end_ns + 30'000'000'000;
  const std::string text = table(s, wide(120));
  CHECK(holds(text, "from 32.0 s to 42.0 s of the run"));
  CHECK_FALSE(holds(text, "last "));
  CHECK_FALSE(holds(text, "elapsed"));
  s.window_start_ns = s.start_ns;
  CHECK(holds(table(s, wide(120)), "from 0.0 s to 42.0 s of the run"));
}

TEST_CASE("table: processes that are no longer listed count and others may have had no place") {
  snapshot::Snapshot s = file_host();
  s.targets.push_back({4712, "/usr/bin/filehost", "", 2'000, false});
  CHECK(holds(table(s, wide(140)), "2 processes (4711, 4712) · 1 ended · 13 threads seen"));
  s.targets_left_out = 1'300;
  CHECK(holds(table(s, wide(140)), "1,302 processes (4711, 4712) · 1,301 ended · 13 threads seen"));
  s.health.lost = s.health.lost_slots = 5;
  CHECK(holds(table(s, wide(140)), "≥1,302 processes (4711, 4712) · ≥1,301 ended · ≥13 threads"));
  s.health.lost = s.health.lost_slots = 0;
  s.threads.push_back({0, 0, "(older threads)", 9, 9});
  CHECK(holds(table(s, wide(140)), "≥14 threads seen"));
}

TEST_CASE("table: the whole run is no window, and a window partly gone is told") {
  snapshot::Snapshot s = file_host();
  s.window_start_ns = s.start_ns;
  CHECK(holds(table(s, wide(100)), "since start, 42.0 s"));
  s.window_partial = true;
  CHECK(holds(table(s, wide(100)), "window only partly kept"));
}

TEST_CASE(
    "table: where samples see the probes cost something else it is said beside the overhead") {
  snapshot::Snapshot s = file_host();
  s.health.overhead_checked.emplace();
  s.health.overhead_checked->by_costs_pct = 1.5;
  s.health.overhead_checked->by_samples_pct = 3.25;
  CHECK_FALSE(holds(table(s, wide(140)), "samples see"));
  s.health.overhead_checked->doubt = true;
  CHECK(holds(table(s, wide(140)),
              "overhead 0.84 %, lately 1.50 % charged where samples see 3.25 %"));
  CHECK(holds(table(s, wide(140)), "~ uncertain: samples see the probes cost something else"));
}
