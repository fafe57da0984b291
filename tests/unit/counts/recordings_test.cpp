// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "recording.h"

using namespace compmond::counts;
using namespace compmond::counts::recordings;

namespace {

struct Held {
  size_t given = 0, held = 0, wrong = 0, asked = 0;
  std::string text;
};

// Estimates beside what the server itself says.
Held compare(const Recording& of) {
  Held out;
  const auto told = rates(of.slices, of.inputs, of.names.size(), of.callers);
  for (size_t i = 0; i < of.names.size(); ++i) {
    const auto found = of.truth.find(of.names[i]);
    if (found == of.truth.end()) continue;
    const double truth = found->second;
    const Count& c = told[i].count;
    const Bounds b = bounds(c.value, c.variance);
    ++out.asked;
    out.given += c.told();
    out.held += c.told() && b.low <= truth && truth <= b.high;
    out.wrong += c.told() && std::abs(c.value / truth - 1) > 0.1;
    out.text += c.told() ? fmt::format("{} {:.0f} ±{:.2f} %, in truth {:.0f} ({:+.2f} %)\n",
                                       of.names[i], c.value, 100 * (b.high / c.value - 1), truth,
                                       100 * (c.value / truth - 1))
                         : fmt::format("{}: {}, {} seen, in truth {:.0f}\n", of.names[i], reason(c),
                                       c.seen, truth);
  }
  return out;
}

}  // namespace

TEST_CASE("recordings: estimates hold what redis and PostgreSQL say of themselves") {
  Held all;
  for (const std::string file : {"redis_steady", "redis_bursty", "pg_steady", "pg_bursty"}) {
    const Held one = compare(read(file + ".zst"));
    INFO(file << "\n" << one.text);
    CHECK(one.wrong == 0);
    CHECK(one.given == one.asked);
    all.given += one.given;
    all.held += one.held;
  }
  CHECK(double(all.held) >= 0.9 * double(all.given));
}

// Five of six, drawn anew each time, must hold the truth as well.
TEST_CASE("recordings: so do those from most of the slices") {
  std::mt19937_64 random(5);
  Held all;
  for (const std::string file : {"redis_steady", "redis_bursty", "pg_steady", "pg_bursty"}) {
    const Recording whole = read(file + ".zst");
    for (int i = 0; i < 20; ++i) {
      Recording part = whole;
      std::ranges::shuffle(part.slices, random);
      part.slices.resize(5 * whole.slices.size() / 6);
      const Held one = compare(part);
      all.given += one.given;
      all.held += one.held;
      all.wrong += one.wrong;
    }
  }
  INFO(all.held << " of " << all.given);
  CHECK(all.given >= 100);
  CHECK(all.wrong == 0);
  CHECK(double(all.held) >= 0.9 * double(all.given));
}

// What the extrapolation by the clock says of the same slices: why there are strata.
TEST_CASE("recordings: by the clock the same slices are wrong by more than a tenth") {
  const Recording of = read("redis_steady.zst");
  double seen_s = 0, calls = 0;
  constexpr double run_s = 60;
  const auto item = Item(std::ranges::find(of.names, "getGenericCommand") - of.names.begin());
  for (const Slice& slice : of.slices) {
    if (!slice.has(item)) continue;
    seen_s += double(slice.end_ns - slice.start_ns) / 1e9;
    if (const auto found = slice.calls.find(item); found != slice.calls.end())
      for (const auto& [cell, count] : found->second) calls += count;
  }
  const double truth = of.truth.at("getGenericCommand");
  const double by_the_clock = calls / seen_s * run_s;
  INFO(by_the_clock << " of " << truth);
  CHECK(std::abs(by_the_clock / truth - 1) > 0.1);
}
