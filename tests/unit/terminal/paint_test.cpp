// SPDX-License-Identifier: Apache-2.0
#include "terminal/paint.h"

#include <doctest/doctest.h>

#include "terminal/table.h"

using namespace compmond;
using namespace compmond::terminal;

TEST_CASE("heat step: follows c(h) = h²/100 · 255/100 in six steps") {
  CHECK(heat_step(0) == 0);
  CHECK(heat_step(40) == 0);
  CHECK(heat_step(41) == 1);
  CHECK(heat_step(57.7) == 1);
  CHECK(heat_step(57.8) == 2);
  CHECK(heat_step(71) == 3);
  CHECK(heat_step(82) == 4);
  CHECK(heat_step(92) == 5);
  CHECK(heat_step(100) == 5);
  CHECK(heat_step(1e9) == 5);
  CHECK(heat_step(-1) == 0);
}

TEST_CASE("bar: grows in eighths and shows the smallest hotness") {
  const Style style;
  CHECK(bar(style, 0, 4) == "");
  CHECK(bar(style, 0.001, 4) == "▏");
  CHECK(bar(style, 50, 4) == "██");
  CHECK(bar(style, 100, 4) == "████");
  CHECK(bar(style, 500, 4) == "████");
  Style plain;
  plain.unicode = false;
  CHECK(bar(plain, 50, 4) == "##");
}

TEST_CASE("wrapped: breaks at blanks, and cuts a word that is wider than the line") {
  const Style style;
  CHECK(wrapped(style, {"one two three"}, 2, 9) ==
        std::vector<std::string>{"  one two", "  three"});
  CHECK(wrapped(style, {"abcdefghijkl"}, 0, 5) == std::vector<std::string>{"ab…kl"});
  CHECK(wrapped(style, {""}, 0, 5).empty());
}

TEST_CASE("flow: what is longer than a line has lines of its own, and loses nothing") {
  const Style style;
  const std::vector<Segment> segments{
      {"all well"}, {"busy: time from samples. Exact: off"}, {"end"}};
  CHECK(flow(style, segments, 20) ==
        std::vector<std::string>{"all well", "busy: time from", "samples. Exact: off", "end"});
  CHECK(flow(style, segments, 60) ==
        std::vector<std::string>{"all well · busy: time from samples. Exact: off · end"});
}

TEST_CASE("flow: of a text without end there are a few lines, with its begin and its end") {
  std::string text = "first";
  for (int i = 0; i < 200; ++i) text += " word";
  const auto lines = flow(Style(), {{text + " last"}}, 20);
  CHECK(lines.size() >= 3);
  CHECK(lines.size() <= 4);
  CHECK(lines.front().starts_with("first"));
  CHECK(lines.back().ends_with("last"));
}
