// SPDX-License-Identifier: Apache-2.0
#include "counts/counts.h"

#include <doctest/doctest.h>

#include <cmath>

#include "counts/slow_down.h"
#include "counts/student.h"

using namespace compmond::counts;

namespace {

constexpr Stratum kSeven{7, 20}, kEight{8, 24};

// In each slice 100 inputs of each stratum; an item is called once per input of stratum 7 and three
// times per input of stratum 8.
Slice slice(double slow_down) {
  Slice out;
  out.slow_down = slow_down;
  out.attached = {true};
  for (const bool first : {false, true})
    for (const Stratum& stratum : {kSeven, kEight}) {
      const Cell cell{.stratum = stratum, .first = first, .complete = true};
      out.inputs[cell] = 50;
      out.calls[0][cell] = stratum == kSeven ? 50 : 150;
    }
  return out;
}

std::vector<Slice> slices(size_t count, double least = 1.2, double most = 1.9) {
  std::vector<Slice> out;
  for (size_t i = 0; i < count; ++i)
    out.push_back(slice(least + (most - least) * double(i) / double(count)));
  return out;
}

RunInputs window(double sevens, double eights) {
  RunInputs out;
  out.descriptor[7] = out.size[20] = sevens;
  out.descriptor[8] = out.size[24] = eights;
  return out;
}

Count only(const std::vector<Slice>& of, const RunInputs& in) {
  return rates(of, in, 1, {})[0].count;
}

}  // namespace

TEST_CASE("counts: per stratum, whatever its share in slices was") {
  const Count c = only(slices(20), window(1e6, 2e5));
  REQUIRE(c.told());
  CHECK(c.value == doctest::Approx(1e6 + 6e5).epsilon(0.001));
  CHECK(c.seen == 20 * 400);
  CHECK(c.slices == 20);
}

TEST_CASE("counts: what is told per input holds for other inputs of the same kinds") {
  const Rate rate = rates(slices(20), window(1e6, 2e5), 1, {})[0];
  const Count same = rate.in(window(1e6, 2e5)), other = rate.in(window(3e6, 1e5));
  CHECK(same.value == doctest::Approx(rate.count.value));
  CHECK(other.value == doctest::Approx(3e6 + 3e5).epsilon(0.001));
  CHECK(std::sqrt(other.variance) / other.value ==
        doctest::Approx(std::sqrt(same.variance) / same.value));
  CHECK(rates(slices(3), window(1e6, 2e5), 1, {})[0].in(window(1e6, 2e5)).why ==
        NotTold::kFewSlices);
}

TEST_CASE("counts: inputs of a kind that is new are as others or none, and not too many") {
  const Rate rate = rates(slices(20), window(1e6, 2e5), 1, {})[0];
  RunInputs few = window(1e6, 2e5), many = few;
  few.descriptor[9] = few.size[9] = 1e4;
  many.descriptor[9] = many.size[9] = 5e4;
  const Count count = rate.in(few);
  REQUIRE(count.told());
  CHECK(count.value == doctest::Approx(1.6e6 * (1 + 1e4 / 1.2e6)).epsilon(0.001));
  const Bounds b = bounds(count.value, count.variance);
  CHECK(b.low < 1.6e6);
  CHECK(rate.in(many).why == NotTold::kOtherInputs);
  CHECK(rate.in(many).value == 0);
}

TEST_CASE("counts: no interval is below one in a hundred") {
  const Count c = only(slices(20), window(1e6, 1e6));
  const Bounds b = bounds(c.value, c.variance);
  CHECK(b.high - c.value == doctest::Approx(0.01 * c.value));
  CHECK(c.value - b.low == doctest::Approx(0.01 * c.value));
}

TEST_CASE("counts: what was estimated of the inputs is part of the interval") {
  RunInputs in = window(1e6, 1e6);
  Strata error{};
  error[7] = error[20] = 1e5;  // of 1e6
  in.descriptor_spread.add(error);
  in.size_spread.add(error);
  const Count c = only(slices(20), in);
  REQUIRE(c.told());
  CHECK(c.variance >= 1e10);
}

TEST_CASE("counts: how much counting slowed widens the interval by all of it") {
  RunInputs in = window(1e6, 1e6);
  Strata error{};
  error[7] = error[20] = 2e4;
  in.descriptor_spread.add(error);
  in.size_spread.add(error);
  const double without = std::sqrt(only(slices(20), in).variance);
  in.slowed.descriptor[7] = in.slowed.size[20] = 5e4;
  in.slowed.descriptor[8] = in.slowed.size[24] = 5e4;
  const Count c = only(slices(20), in);
  REQUIRE(c.told());
  const double half = bounds(c.value, c.variance).high - c.value;
  CHECK(half == doctest::Approx(student(1e9) * without + 0.05 * c.value).epsilon(0.02));
}

TEST_CASE("counts: too few slices, and how many there are") {
  const Count c = only(slices(kEnoughSlices - 1), window(1e6, 1e6));
  CHECK(c.why == NotTold::kFewSlices);
  CHECK(reason(c) == "5 of 6 slices so far");
  CHECK(only(slices(kEnoughSlices), window(1e6, 1e6)).told());
}

TEST_CASE("counts: slices that slow too much do not count") {
  auto all = slices(20);
  for (Slice& one : slices(20, 3, 4)) all.push_back(one);
  CHECK(only(all, window(1e6, 1e6)).slices == 20);
  const Count hot = only(slices(20, 3, 4), window(1e6, 1e6));
  CHECK(hot.why == NotTold::kTooSlowed);
  CHECK(hot.seen == 20 * 400);
}

TEST_CASE("counts: a burst that only slices saw which slow too much is not left out") {
  auto all = slices(20);
  all.insert(all.begin(), slice(50));
  CHECK(only(all, window(1e6, 1e6)).told());
  for (auto& [cell, calls] : all.front().calls[0]) calls *= 30;
  CHECK(only(all, window(1e6, 1e6)).why == NotTold::kTooSlowed);
}

TEST_CASE("counts: of a new client with inputs of known sizes one does not know what they do") {
  RunInputs in = window(1e6, 1e6);
  in.descriptor[9] = 3e5;
  in.size[20] += 3e5;
  CHECK(only(slices(20), in).why == NotTold::kOtherInputs);
  in.descriptor[9] = 1e5;
  const Count some = only(slices(20), in);
  REQUIRE(some.told());
  CHECK(bounds(some.value, some.variance).high > 1.04 * some.value);
}

TEST_CASE("counts: no inputs, no figure") { CHECK(only(slices(20), {}).why == NotTold::kNoInputs); }

TEST_CASE("counts: inputs that no slice has") {
  RunInputs in = window(1e6, 1e6);
  in.descriptor[9] = in.size[9] = 1e5;
  CHECK(only(slices(20), in).why == NotTold::kOtherInputs);
  in.size[9] = 1e4;  // by size less than 2 % are unlike
  CHECK(only(slices(20), in).told());
}

TEST_CASE("counts: not called in slices is not never") {
  auto of = slices(20);
  for (Slice& one : of) one.calls.clear();
  const Count c = only(of, window(1e6, 1e6));
  CHECK(c.why == NotTold::kNotSeen);
  CHECK(reason(c) == "not seen in 20 slices");
  of[0].calls[0][{kSeven}] = 4;
  CHECK(only(of, window(1e6, 1e6)).why == NotTold::kFewSeen);
}

TEST_CASE("counts: what was seen often and varies is not hardly seen") {
  RunInputs in = window(1e6, 1e6);
  Strata error{};
  error[7] = error[20] = 4e5;  // of 1e6
  in.descriptor_spread.add(error);
  in.size_spread.add(error);
  const Count c = only(slices(20), in);
  CHECK(c.why == NotTold::kVaries);
  CHECK(reason(c) == "varies too much to be told within ±10 %");
  CHECK(kind_of_reason(c) == "vary too much");
  auto few = slices(20);
  for (Slice& one : few)
    for (auto& [cell, calls] : one.calls[0]) calls = calls > 50 ? 3 : 1;
  CHECK(only(few, in).why == NotTold::kFewSeen);
}

TEST_CASE("counts: threads without inputs of their own") {
  auto of = slices(20);
  for (Slice& one : of) one.calls[0][{.stratum = {}, .carried = true}] = 12;
  CHECK(only(of, window(1e6, 1e6)).why == NotTold::kCarriedOver);
  for (Slice& one : of) one.calls[0][{.stratum = {}, .carried = true}] = 4;  // 1 %
  const Count some = only(of, window(1e6, 1e6)), none = only(slices(20), window(1e6, 1e6));
  REQUIRE(some.told());
  const double more = some.value - none.value;
  CHECK(more == doctest::Approx(0.01 * none.value).epsilon(0.1));
  // They may be none, or twice as many.
  CHECK(bounds(some.value, some.variance).low < none.value);
  CHECK(bounds(some.value, some.variance).high > none.value + 2 * more);
}

TEST_CASE("counts: more calls per input in more slowed slices are a drift") {
  auto of = slices(20);
  for (Slice& one : of)
    for (auto& [cell, calls] : one.calls[0]) calls = uint32_t(calls * one.slow_down);
  CHECK(only(of, window(1e6, 1e6)).why == NotTold::kDepends);
}

TEST_CASE("counts: a drift that is small enough is part of the interval") {
  auto of = slices(20);
  for (Slice& one : of)  // from slow-down 1 to the mean of 1.5 some 3 %
    for (auto& [cell, calls] : one.calls[0])
      calls = uint32_t(std::lround(20 * calls * (1 + 0.06 * (one.slow_down - 1))));
  const Count c = only(of, window(1e6, 1e6));
  REQUIRE(c.told());
  const Bounds b = bounds(c.value, c.variance);
  CHECK(b.low <= 20 * 4e6);  // what is true at a slow-down of 1
  CHECK(b.high - b.low >= 0.05 * c.value);
}

TEST_CASE("counts: slices that are all slowed alike tell nothing of a drift") {
  CHECK(only(slices(20, 1.9, 1.9), window(1e6, 1e6)).why == NotTold::kVague);
}

TEST_CASE("counts: more calls in the first part of slices than in the rest are a drift") {
  auto of = slices(20);
  for (Slice& one : of)
    for (auto& [cell, calls] : one.calls[0])
      if (cell.first) calls *= 2;
  CHECK(only(of, window(1e6, 1e6)).why == NotTold::kDepends);
}

TEST_CASE("counts: who is called by what depends on load is marked, and whom it calls in turn") {
  auto of = slices(20);
  for (Slice& one : of) {
    one.attached.assign(4, true);
    for (Item item = 1; item < 4; ++item) one.calls[item] = one.calls[0];
    for (auto& [cell, calls] : one.calls[0]) calls = uint32_t(calls * one.slow_down);
  }
  const std::vector<Caller> callers = {{0, 1, 0.5}, {1, 2, 0.06}, {0, 3, 0.04}};
  const auto counts = rates(of, window(1e6, 1e6), 4, callers);
  CHECK(counts[0].count.why == NotTold::kDepends);
  CHECK(counts[1].count.why == NotTold::kCaller);
  CHECK(counts[2].count.why == NotTold::kCaller);
  CHECK(counts[3].count.told());  // less than a twentieth of its calls
  CHECK(reason(counts[1].count) == "its callers depend on load, or may");
}

TEST_CASE("counts: what is rare is judged with what happens in the same strata") {
  auto of = slices(20);
  for (size_t i = 0; i < of.size(); ++i) {
    of[i].attached = {true, true};
    const bool first = i % 2 == 0;
    of[i].calls[1][{.stratum = kSeven, .first = first, .complete = true}] = 1;
    of[i].calls[1][{.stratum = kEight, .first = first, .complete = true}] = 2 + i % 3;
  }
  const auto together = rates(of, window(1e6, 1e6), 2, {});
  CHECK(together[1].count.told());
  // Not where it is called by what no slice had, which may depend on load.
  CHECK(rates(of, window(1e6, 1e6), 3, std::vector<Caller>{{2, 1, 0.5}})[1].count.why ==
        NotTold::kVague);
  CHECK(rates(of, window(1e6, 1e6), 3, std::vector<Caller>{{2, 1, 0.04}})[1].count.told());
  auto always = of;  // item 2 is there all the time: slices do not have it, but see it
  for (Slice& one : always) one.seen = {true, true, true};
  CHECK(rates(always, window(1e6, 1e6), 3, std::vector<Caller>{{2, 1, 0.5}})[1].count.told());
  for (Slice& one : of) one.calls.erase(0);
  CHECK(rates(of, window(1e6, 1e6), 2, {})[1].count.why == NotTold::kVague);
}

TEST_CASE("counts: half-turned cycles of an event loop are left out") {
  // Ten inputs a turn; each slice begins within one, so that its calls of the loop are short by
  // one.
  std::vector<Slice> of;
  for (int i = 0; i < 20; ++i) {
    Slice one;
    one.slow_down = 1.2 + 0.03 * i;
    one.attached = {true};
    for (const bool first : {false, true}) {
      one.inputs[{.stratum = kSeven, .first = first, .complete = true}] = 50;
      one.inputs[{.stratum = kSeven, .first = first}] = 4;
      one.calls[0][{.stratum = kSeven, .first = first, .complete = true}] = 5;
    }
    of.push_back(one);
  }
  const Count c = only(of, window(1e6, 0));
  REQUIRE(c.told());
  CHECK(c.value == doctest::Approx(1e5).epsilon(0.002));
}

TEST_CASE("strata: a size has one of four in each octave") {
  CHECK(size_stratum(1) == 0);
  CHECK(size_stratum(3) == 4);
  CHECK(size_stratum(4) == 8);
  CHECK(size_stratum(5) == 9);
  CHECK(size_stratum(1023) == 39);
  CHECK(size_stratum(1024) == 40);
  CHECK(size_stratum(65536) == 0);
  CHECK(descriptor_stratum(71) == 7);
}

TEST_CASE("slow-down: that of the thread that is slowed most and matters") {
  CHECK(slow_down({}) == 1);
  CHECK(slow_down(std::vector<ThreadLoad>{{100, 50}, {100, 20}}) == doctest::Approx(2));
  CHECK(slow_down(std::vector<ThreadLoad>{{100, 20}, {10, 9}}) == doctest::Approx(1.25));
  CHECK(slow_down(std::vector<ThreadLoad>{{100, 120}}) == doctest::Approx(100));
}

TEST_CASE("student: quantiles of the tables") {
  CHECK(student(5) == doctest::Approx(2.5706).epsilon(0.002));
  CHECK(student(11) == doctest::Approx(2.2010).epsilon(0.0005));
  CHECK(student(30) == doctest::Approx(2.0423).epsilon(0.0001));
}
