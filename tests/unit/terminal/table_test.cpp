// SPDX-License-Identifier: Apache-2.0
#include "terminal/table.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <iterator>
#include <sstream>
#include <vector>

#include "lines.h"
#include "sample.h"
#include "text/clean.h"
#include "text/columns.h"

using namespace compmond;
using namespace compmond::terminal;
using namespace compmond::terminal::test;

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
        "! some ends were not seen: lost or detached\n"
        "◐ probes of some are away · ▸ running now\n"
        "Σ sum of the components below\n"
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
          CHECK_MESSAGE(text::columns(line) <= size_t(width), line);
    }
}

TEST_CASE("table: its head says what hotness 100 is, or why nothing is hot") {
  snapshot::Snapshot s = file_host();
  s.heat = snapshot::Heat{HeatScale::kWindow, RankedFigure::kReal, 5e9, 0, 1e8};
  CHECK(holds(table(s, wide(100)), "hotness 100 = 5.00 s of 10.0 s"));
  s.heat->full = 0;
  CHECK(holds(table(s, wide(100)), "nothing above 1.00 % of a CPU"));
  s.heat = snapshot::Heat{HeatScale::kWindow, RankedFigure::kCalls, 12'345};
  CHECK(holds(table(s, wide(100)), "hotness 100 = 12,345 calls"));
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
  for (const std::string& line : lines_of(coloured)) stripped += text::clean(line) + "\n";
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

TEST_CASE("table: several processes, and those that ended") {
  snapshot::Snapshot s = file_host();
  for (int64_t pid : {12, 13, 14}) s.targets.push_back({pid, "/usr/bin/filehost", "", 0, false});
  CHECK(lines_of(table(s, wide(120)))[0].rfind(
            "filehost · 4 processes (4711, 12, 13, …) · 3 ended · 13 threads", 0) == 0);
  s.targets = {{1, "/bin/a", "", 0, false}};
  CHECK(lines_of(table(s, wide(120)))[0].rfind("a · pid 1 · has ended", 0) == 0);
  s.targets[0].end_signal = 11;
  CHECK(lines_of(table(s, wide(120)))[0].rfind("a · pid 1 · killed by SIGSEGV", 0) == 0);
  s.targets[0].end_signal.reset();
  s.targets[0].exit_status = 3;
  CHECK(lines_of(table(s, wide(120)))[0].rfind("a · pid 1 · exited with status 3", 0) == 0);
  s.targets.clear();
  CHECK(lines_of(table(s, wide(120)))[0].rfind("file host", 0) == 0);
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
          RC_ASSERT(text::columns(line) <= size_t(60 + width % 140));
      }));
}

TEST_CASE("table: what somebody switched off is told with its moment, and is no fault") {
  snapshot::Snapshot s = file_host();
  s.health.refused.clear();
  const uint64_t start = s.start_ns = 1'000'000'000;
  for (size_t i = 0; i < 2; ++i) {
    snapshot::Operation& off = s.components[i].operations[0];
    off.state = snapshot::Presence::kDisabled;
    off.since_ns = start + (i + 3) * 1'500'000'000;
    s.health.disabled.push_back(off.name);
    s.health.switches.push_back({*off.since_ns, false, off.name});
  }
  s.components[0].status = snapshot::Status::kDisabled;
  CHECK(holds(table(s, wide(160)), "● 22 of 24 operations attached"));
  CHECK(holds(table(s, wide(160)), "2 operations switched off: " + s.components[0].name +
                                       " at 4.5 s, " + s.components[1].operations[0].name +
                                       " at 6.0 s"));
  CHECK(holds(summary(s, wide(160)), "switched: 4.5 s " + s.health.disabled[0] +
                                         " switched off · 6.0 s " + s.health.disabled[1] +
                                         " switched off"));
  s.health.switches.push_back({start + 8'000'000'000, false, ""});
  s.health.probes_paused = true;
  CHECK(holds(table(s, wide(160)), "all probes paused at 8.0 s"));
}

TEST_CASE("table: operations that the budget detached are not called attached") {
  snapshot::Snapshot s = file_host();
  s.health.refused.clear();
  s.health.throttled = {"fh::hot", "fh::warm", "fh::mild"};
  CHECK(holds(table(s, wide(100)), "● 22 of 25 operations attached"));
}
