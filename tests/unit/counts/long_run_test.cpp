// SPDX-License-Identifier: Apache-2.0
// Runs of hours: what is new is told as in a run that has just begun.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "counts/kept_slices.h"
#include "counts/slice_store.h"

using namespace compmond;
using namespace compmond::counts;

namespace {

using Part = InputTimes::Part;
constexpr uint64_t kMs = 1'000'000, kSecond = 1'000 * kMs, kHour = 3'600 * kSecond;
constexpr uint64_t kPeriod = 700 * kMs;

Inputs inputs(double count) {
  Inputs out;
  out.descriptor[3] = out.size[12] = count;
  return out;
}

// Of 70 ms. Two kinds take turns, each with one of two items; some 70 inputs with two calls each.
Slice slice(uint64_t number, std::mt19937_64& random) {
  Slice out;
  out.start_ns = number * kPeriod;
  out.end_ns = out.start_ns + 70 * kMs;
  out.slow_down = 1.2 + 0.1 * double(random() % 8);
  out.attached = {number % 2 == 0, number % 2 == 1};
  for (const bool first : {false, true})
    for (const bool complete : {false, true}) {
      const Cell cell{.stratum = {3, 12}, .first = first, .complete = complete};
      const auto n = uint32_t(std::poisson_distribution<int>(complete ? 34 : 1)(random));
      out.inputs[cell] = n;
      out.calls[Item(number % 2)][cell] = 2 * n;
    }
  return out;
}

struct Server {
  SliceStore store;
  uint64_t until_ns = 0;
  double inputs = 0;
};

// 1,000 inputs a second, counted around slices and in windows of 40 ms of each 105.
Server server(uint64_t begin_ns, uint64_t until_ns) {
  Server out;
  out.until_ns = until_ns;
  std::mt19937_64 random(7);
  InputTimes& times = out.store.inputs();
  times.begin(begin_ns);
  const auto pass = [&](uint64_t length_ns, Part part, uint64_t& at_ns) {
    const double n = std::poisson_distribution<int>(double(length_ns) / kMs)(random);
    out.inputs += n;
    at_ns += length_ns;
    times.add(at_ns, {.part = part, .inputs = inputs(part == Part::kNot ? 0 : n)});
  };
  for (uint64_t number = begin_ns / kPeriod; number * kPeriod < until_ns; ++number) {
    uint64_t at_ns = number * kPeriod;
    pass(175 * kMs, Part::kCounted, at_ns);
    for (int i = 0; i < 5; ++i) {
      pass(40 * kMs, Part::kSample, at_ns);
      pass(65 * kMs, Part::kNot, at_ns);
    }
    out.store.add(slice(number, random));
  }
  return out;
}

Count count(const Server& of, Window window, Item item = 0) {
  return of.store.count(std::vector<Window>{window}, 2)[item];
}

double half_width(const Count& count) {
  return (bounds(count.value, count.variance).high - count.value) / count.value;
}

}  // namespace

TEST_CASE("long run: the last minute of five hours is told as in a run of a minute") {
  const uint64_t until = 5 * kHour / kPeriod * kPeriod;
  const Window minute{until - 60 * kSecond, until};
  const Server of = server(0, until), fresh = server(minute.start_ns / kPeriod * kPeriod, until);
  for (const Item item : {0, 1}) {
    const Count told = count(of, minute, item), as = count(fresh, minute, item);
    REQUIRE(told.told());
    REQUIRE(as.told());
    CHECK(told.slices == as.slices);
    CHECK(told.slices >= 60 * kSecond / kPeriod / 2 - 2);
    CHECK(told.value == doctest::Approx(120'000).epsilon(0.03));
    CHECK(half_width(told) <= 1.1 * half_width(as));
  }
  CHECK(of.store.within(minute).slices == fresh.store.within(minute).slices);
}

TEST_CASE("long run: all of five hours is told, too, and windows that end now") {
  const Server of = server(0, 5 * kHour);
  const Count whole = count(of, {0, of.until_ns});
  REQUIRE(whole.told());
  CHECK(whole.value == doctest::Approx(2 * of.inputs).epsilon(0.01));
  CHECK(half_width(whole) <= 0.03);
  CHECK(of.store.within({0, UINT64_MAX}).slices == (5 * kHour + kPeriod - 1) / kPeriod);
  for (const uint64_t minutes : {3, 10, 13, 30, 100}) {
    const uint64_t length = minutes * 60 * kSecond;
    const Count told = count(of, {of.until_ns - length, of.until_ns}, 1);
    CAPTURE(minutes);
    REQUIRE(told.told());
    CHECK(told.value == doctest::Approx(2'000.0 * double(length) / kSecond).epsilon(0.02));
  }
}

TEST_CASE("long run: what was asked before does not change what is told later") {
  const Window window{100 * kSecond, 120 * kSecond};
  Server asked = server(0, 200 * kSecond), other = server(0, 200 * kSecond);
  const double before = count(asked, window).variance;
  for (Server* of : {&asked, &other})
    for (uint64_t i = 1; i < 2'000; ++i)
      of->store.inputs().add(201 * kSecond + i * 500 * kMs,
                             {.part = i % 2 ? Part::kSample : Part::kNot, .inputs = inputs(1)});
  CHECK(count(asked, window).variance == count(other, window).variance);
  CHECK(count(asked, window).variance != before);
}

TEST_CASE("long run: of inputs what is new is known as finely as they were counted") {
  InputTimes times;
  times.begin(0);
  size_t most = 0;
  for (uint64_t t = 1; t <= 10 * 36'000; ++t) {
    times.add(t * 100 * kMs, {.inputs = inputs(100)});
    most = std::max(most, times.size());
  }
  CHECK(most <= 5'000);
  const uint64_t now = 10 * kHour;
  const auto error = [&](Window window) {
    Strata one{};
    one[3] = 1;
    const RunInputs told = times.of(std::vector<Window>{window}).inputs;
    return std::sqrt(told.descriptor_spread.variance(one)) / told.descriptor[3];
  };
  CHECK(error({now - 60 * kSecond + 50 * kMs, now - 50 * kMs}) < 0.001);
  CHECK(error({now - kHour + 50 * kMs, now}) < 0.01);
  CHECK(error({now / 2, now / 2 + kHour}) < 0.1);
}

TEST_CASE(
    "long run: of inputs that were counted in very many short times the oldest are forgotten") {
  InputTimes times;
  size_t most = 0;
  for (uint64_t t = 0; t < 100'000; ++t) {
    times.begin(t * kSecond);
    times.add(t * kSecond + 500 * kMs, {.inputs = inputs(100)});
    most = std::max(most, times.size());
  }
  CHECK(most <= 8'192);
  const auto told = times.of(std::vector<Window>{{99'000 * kSecond, 100'000 * kSecond}});
  CHECK(told.known_ns == doctest::Approx(500e9));
}

TEST_CASE("kept slices: the newest all, older ones the fewer the older they are") {
  KeptSlices of;
  constexpr uint64_t kSlices = 200'000;
  size_t most = 0;
  for (uint64_t i = 0; i < kSlices; ++i) {
    Slice one;
    one.start_ns = i;
    one.end_ns = i + 1;
    of.add(std::move(one));
    most = std::max(most, of.all().size());
  }
  CHECK(most <= 2'700);
  for (const uint64_t ago : {1'000, 4'000, 30'000, 150'000}) {
    const std::vector<Window> window{{kSlices - ago, kSlices}};
    const auto all = of.spread_over(window, kSlices);
    CHECK(all.size() >= std::min<size_t>(ago, 240));
    const auto some = of.spread_over(window, 128);
    REQUIRE(some.size() == 128);
    std::map<uint64_t, size_t> kinds;
    for (size_t i = 0; i + 1 < some.size(); ++i) {
      ++kinds[some[i]->start_ns % 2];
      CHECK(some[i + 1]->start_ns - some[i]->start_ns < 3 * ago / 128);
    }
    CHECK(kinds[0] >= 50);
    CHECK(kinds[1] >= 50);
  }
}
