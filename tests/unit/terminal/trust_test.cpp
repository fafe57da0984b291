// SPDX-License-Identifier: Apache-2.0
// What the table says of figures that are missing or may be wrong.
#include <doctest/doctest.h>

#include "lines.h"
#include "sample.h"
#include "terminal/table.h"

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
              "25,171 lost (1.00 %), 25,000 by a full ring, 171 for want of thread slots, "
              "3 refused as not to be believed"));
}

TEST_CASE("table: an overhead of five percent stands out") {
  snapshot::Snapshot s = file_host();
  Style style = wide(100);
  style.colour = true;
  CHECK_FALSE(holds(table(s, style), "\x1b[38;5;214moverhead"));
  s.health.overhead_pct = 30.8;
  CHECK(holds(table(s, style), "\x1b[38;5;214moverhead 30.8 %"));
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

TEST_CASE("table: the whole run is no window, and a window partly gone is told") {
  snapshot::Snapshot s = file_host();
  s.window_start_ns = s.start_ns;
  CHECK(holds(table(s, wide(100)), "since start, 42.0 s"));
  s.window_partial = true;
  CHECK(holds(table(s, wide(100)), "window only partly kept"));
}
