// SPDX-License-Identifier: Apache-2.0
#include "headless/table.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <vector>

#include "headless/text.h"
#include "sample.h"

using namespace compmond;
using namespace compmond::headless;
using namespace compmond::headless::test;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

Style wide(int width, int height = 0) {
  Style style;
  style.width = width;
  style.height = height;
  return style;
}

std::string line_with(const std::string& text, const std::string& part) {
  for (const std::string& line : lines_of(text))
    if (line.find(part) != std::string::npos) return line;
  return "(no line with " + part + ")";
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("table: sixty columns, line for line") {
  CHECK(table(file_host(), wide(60)) ==
        "filehost · pid 4711 · 13 threads\n"
        "last 10.0 s · metric overall · 42.0 s elapsed\n"
        "\n"
        "component              hot  net real  of wall      calls\n"
        "FileEncrypter          100    5.00 s   50.0 %      5,000\n"
        "Storage                      Σ4.00 s   40.0 %      5,400\n"
        "  FSWriter              60    3.00 s   30.0 %      5,000  ▸2\n"
        "  DirReader             20    1.00 s   10.0 %        400\n"
        "HTTPServer              16    812 ms   8.12 %     12,345\n"
        "FileReader…everReason    8   ~400 ms  ~4.00 %  1,234,567\n"
        "UploadManager            2   95.0 ms   0.95 %      1,200  ◐\n"
        "FileDecrypter           <1   1.20 ms   0.01 %         31  !\n"
        "PluginManager            –         –        –          0\n"
        "AccessControl          refused: the function cannot be deco…\n"
        "\n"
        "~ uncertain: the probes' own cost is over a third of it\n"
        "! events of it were lost · ◐ some operations refused\n"
        "▸ running now · Σ sum of the components below\n"
        "● 22 of 24 operations attached · 2,517,086 events\n"
        "none lost · overhead 0.84 %\n");
}

TEST_CASE("table: a hundred and twenty columns show every column") {
  const std::string text = table(file_host(), wide(120));
  CHECK(line_with(text, "component") ==
        "component                           hotness         net real  of wall      raw      calls "
        " calls/s     mean  "
        "    p99");
  CHECK(line_with(text, "HTTPServer") ==
        "HTTPServer                          █▋          16    812 ms   8.12 %   1.08 s     12,345 "
        "   1,235  87.7 µs  "
        " 263 µs");
}

TEST_CASE("table: no line is wider than the terminal, at any width, in any style") {
  snapshot::Snapshot s = file_host();
  s.components[3].operations.push_back(operation("x", "ret-sites", "push", 1, 1));
  s.health.notes = {std::string(300, 'n')};
  s.health.throttled = {std::string(300, 't'), "u"};
  s.health.balanced = false;
  s.window_partial = true;
  for (int width = 40; width <= 200; width += 7)
    for (bool unicode : {true, false}) {
      Style style = wide(width);
      style.unicode = unicode;
      for (const std::string& text :
           {table(s, style), summary(s, style), table(empty_run(), style),
            table(slow_file_host(), style), summary(slow_file_host(), style)})
        for (const std::string& line : lines_of(text))
          CHECK_MESSAGE(columns(line) <= size_t(width), line);
    }
}

TEST_CASE("table: missed objectives are marked, explained and counted") {
  const std::string text = table(slow_file_host(), wide(100));
  CHECK(holds(line_with(text, "HTTPServer"), "▲13"));
  CHECK(holds(line_with(text, "FSWriter"), "▸2"));
  CHECK(!holds(line_with(text, "FSWriter"), "▲"));
  CHECK(holds(text, "▲ objective missed"));
  CHECK(holds(text, "▲ objectives missed 13 times"));
  CHECK(!holds(table(file_host(), wide(100)), "objective"));
  Style ascii = wide(100);
  ascii.unicode = false;
  CHECK(holds(table(slow_file_host(), ascii), "x13"));
}

TEST_CASE(
    "summary: objectives by operation, the newest executions that missed them, what is not held") {
  const std::string text = summary(slow_file_host(), wide(120));
  CHECK(holds(text, "\nObjectives\n"));
  const std::string operation = line_with(text, "HTTPServer  fh::HTTPServer::run");
  for (const char* part : {"50.0 ms", "12", "0.10 %", "1"}) CHECK(holds(operation, part));
  CHECK(holds(line_with(text, "Storage/FSWriter  fh::FSWriter::run"), "0 %"));
  const std::string newest = line_with(text, "still runs");
  for (const char* part : {"HTTPServer", "81.0 ms", "40.000 s", "4712", "17"})
    CHECK(holds(newest, part));
  CHECK(holds(line_with(text, "lossy"), "≤71.0 ms"));
  CHECK(holds(text, "  11 more"));
  CHECK(holds(text, "not held to its objective, having no times: fh::HTTPServer::accept(int)"));
  CHECK(!holds(summary(file_host(), wide(120)), "Objectives"));
}

TEST_CASE("table: colours change nothing but colours") {
  Style style = wide(100);
  const std::string plain = table(file_host(), style) + summary(file_host(), style);
  style.colour = true;
  const std::string coloured = table(file_host(), style) + summary(file_host(), style);
  CHECK(plain.find('\x1b') == std::string::npos);
  std::string stripped;
  for (const std::string& line : lines_of(coloured)) stripped += clean(line) + "\n";
  CHECK(stripped == plain);
  CHECK(holds(coloured, "\x1b[38;5;196m████████ 100\x1b[0m"));
  CHECK(holds(coloured, "\x1b[38;5;214m~400 ms\x1b[0m"));
}

TEST_CASE("table: without Unicode everything is ASCII") {
  Style style = wide(80);
  style.unicode = false;
  for (char c : table(file_host(), style) + summary(file_host(), style)) CHECK(uint8_t(c) < 0x80);
}

TEST_CASE("table: hostile names neither steer the terminal nor break lines") {
  snapshot::Snapshot s = file_host();
  for (snapshot::Component& c : s.components) c.name = "\x1b[2J\x1b]0;x\a" + c.name + "\r\n\t\xff";
  s.components[9].operations[0].reason = "\x1b[31mbecause\n";
  s.targets[0].exe = "/tmp/\x1b[7mevil\n";
  s.health.notes = {"\x1b[1mnote\n"};
  s.edges[1].to = "\x1b[H\n";
  for (const std::string& text : {table(s, wide(100)), summary(s, wide(100))}) {
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find('\r') == std::string::npos);
    CHECK(text.find('\t') == std::string::npos);
  }
  CHECK(lines_of(table(s, wide(100))).size() == lines_of(table(file_host(), wide(100))).size());
}

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
  s.health.throttled = {s.components[2].operations[0].symbol};
  CHECK(line_with(table(s, wide(60)), "PluginManager").back() == '?');
  s.health.throttled.clear();
  s.components[2].status = "partial";
  CHECK(line_with(table(s, wide(60)), "PluginManager") ==
        "PluginManager            –         –        –          ?  ◐");
}

TEST_CASE("table: components that are only counted have no times") {
  snapshot::Snapshot s = file_host();
  s.components[6].operations[0].exit_mode = "entry-only";
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

TEST_CASE("table: a parent stands where its hottest child belongs, children below it") {
  snapshot::Snapshot s = file_host();
  s.components = {component("Cold", 1, 10, 1), component("Cold/Hot", 1, 900, 100),
                  component("Warm", 1, 500, 50), component("Cold/Tepid", 1, 20, 2)};
  std::vector<std::string> order;
  for (const std::string& line : lines_of(table(s, wide(60))))
    for (const char* name : {"Cold", "  Hot", "Warm", "  Tepid"})
      if (line.rfind(name, 0) == 0) order.push_back(name);
  CHECK(order == std::vector<std::string>{"Cold", "  Hot", "  Tepid", "Warm"});
}

TEST_CASE("table: unknown and circular parents are taken for none") {
  snapshot::Snapshot s = file_host();
  s.components = {component("B", 1, 10, 1), component("C", 1, 10, 1)};
  s.components[0].parent = "C";
  s.components[1].parent = "C";
  const std::string text = table(s, wide(80));
  CHECK(line_with(text, "B").rfind("B ", 0) == 0);
  CHECK(line_with(text, "C ").rfind("C ", 0) == 0);
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
  const std::string text = table(s, wide(200));
  CHECK(holds(text, "1 orphan exit ·"));
  CHECK(holds(text, "2 evicted"));
  CHECK(holds(text, "25,171 lost (1.00 %), 25,000 by a full ring, 171 for want of thread slots"));
}

TEST_CASE("table: never more rows than the terminal has, and what is cut is counted") {
  for (int height = 1; height < 30; ++height)
    CHECK(lines_of(table(file_host(), wide(80, height))).size() <= size_t(height));
  const std::string text = table(file_host(), wide(80, 12));
  CHECK(lines_of(text).size() == 12);
  CHECK(holds(text, "… 5 more components"));
  CHECK(holds(text, "● 22 of 24 operations attached"));
}

TEST_CASE("table: the columns of a live table do not come and go with its numbers") {
  for (int width = 60; width <= 140; width += 5) {
    snapshot::Snapshot s = file_host();
    const auto titles = [&] {
      std::istringstream in(line_with(table(s, wide(width)), "component "));
      return std::vector<std::string>(std::istream_iterator<std::string>(in), {});
    };
    const std::vector<std::string> before = titles();
    s.components[4].figures.open = 0;  // no "▸"
    s.components[6].figures.net_real_ns = 99;
    s.components[0].figures.uncertain = true;
    CHECK(titles() == before);
  }
}

TEST_CASE("table: an overhead of five percent stands out") {
  snapshot::Snapshot s = file_host();
  Style style = wide(100);
  style.colour = true;
  CHECK_FALSE(holds(table(s, style), "\x1b[38;5;214moverhead"));
  s.health.overhead_pct = 30.8;
  CHECK(holds(table(s, style), "\x1b[38;5;214moverhead 30.8 %"));
}

TEST_CASE("table: several processes, and those that ended") {
  snapshot::Snapshot s = file_host();
  for (int64_t pid : {12, 13, 14}) s.targets.push_back({pid, "/usr/bin/filehost", "", 0, false});
  CHECK(lines_of(table(s, wide(120)))[0].rfind(
            "filehost · 4 processes (4711, 12, 13, …) · 3 ended · 13 threads", 0) == 0);
  s.targets = {{1, "/bin/a", "", 0, false}};
  CHECK(lines_of(table(s, wide(120)))[0].rfind("a · pid 1 · has ended", 0) == 0);
  s.targets.clear();
  CHECK(lines_of(table(s, wide(120)))[0].rfind("file host", 0) == 0);
}

TEST_CASE("table: the whole run is no window, and a window partly gone is told") {
  snapshot::Snapshot s = file_host();
  s.window_start_ns = s.start_ns;
  CHECK(holds(table(s, wide(100)), "since start, 42.0 s"));
  s.window_partial = true;
  CHECK(holds(table(s, wide(100)), "window only partly kept"));
}

TEST_CASE("table: a window without length divides nothing") {
  snapshot::Snapshot s = file_host();
  s.window_start_ns = s.window_end_ns;
  const std::string text = table(s, wide(120));
  CHECK_FALSE(holds(text, "inf"));
  CHECK_FALSE(holds(text, "nan"));
}

TEST_CASE("table: any figures and names keep the lines within the terminal") {
  CHECK(rc::check(
      [](uint64_t calls, uint64_t ns, double hotness, const std::string& name, uint8_t width) {
        snapshot::Snapshot s = file_host();
        s.components[0].figures.calls = calls;
        s.components[0].figures.net_real_ns = s.components[0].figures.p99_ns = ns;
        s.components[0].figures.hotness = hotness;
        s.components[6].name = name;
        for (const std::string& line : lines_of(table(s, wide(60 + width % 140))))
          RC_ASSERT(columns(line) <= size_t(60 + width % 140));
      }));
}

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

TEST_CASE("summary: the dearest probes are named with their share of the cost") {
  snapshot::Snapshot s = file_host();
  s.components = {component("A", 0, 0, 0)};
  s.components[0].operations = {operation("often", "ret-sites", "push", 75, 1),
                                operation("seldom", "ret-sites", "push", 25, 1)};
  CHECK(holds(summary(s, wide(100)), "  dearest in all: often 75.0 % · seldom 25.0 %\n"));
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
  s.health.throttled = {"fh::hot"};
  const std::string text = summary(s, wide(60));
  CHECK(holds(text,
              "\n  The clock was moved while the program ran, and so the\n  first window may be "
              "off by a second.\n"));
  CHECK(holds(text, "  thinned out or detached to keep the overhead down: fh::hot\n"));
}
