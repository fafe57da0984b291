// SPDX-License-Identifier: Apache-2.0
#include "counts/input_times.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

using namespace compmond;
using namespace compmond::counts;

namespace {

using Part = InputTimes::Part;
using Random = std::mt19937_64;
constexpr uint64_t kMs = 1'000'000, kSecond = 1'000 * kMs;
constexpr size_t kThree = 3, kFour = 4;  // strata

Inputs inputs(double threes, double fours = 0) {
  Inputs out;
  out.descriptor[kThree] = out.size[kThree] = threes;
  out.descriptor[kFour] = out.size[kFour] = fours;
  return out;
}

// 1,000 a second, all counted.
InputTimes counted(uint64_t seconds) {
  InputTimes out;
  out.begin(0);
  for (uint64_t t = 1; t <= seconds * 10; ++t) out.add(t * 100 * kMs, {.inputs = inputs(100)});
  return out;
}

double error(const InputTimes::Told& told) {
  Strata one{};
  one[kThree] = one[kFour] = 1;
  return std::sqrt(told.inputs.spread(By::kDescriptor).variance(one));
}

InputTimes::Told of(const InputTimes& times, Window window) {
  return times.of(std::vector<Window>{window});
}

}  // namespace

TEST_CASE("input times: what was counted all the time is known exactly") {
  const InputTimes times = counted(10);
  const auto whole = of(times, {0, 10 * kSecond});
  CHECK(whole.inputs.descriptor[kThree] == doctest::Approx(10'000));
  CHECK(whole.inputs.size[kThree] == doctest::Approx(10'000));
  CHECK(whole.known_ns == doctest::Approx(10e9));
  CHECK(error(whole) == 0);
}

TEST_CASE("input times: a window's ends within a span are known as well as that is short") {
  const auto part = of(counted(10), {950 * kMs, 3 * kSecond});
  CHECK(part.inputs.descriptor[kThree] == doctest::Approx(2'050));
  CHECK(error(part) > 1);
  CHECK(error(part) < 100);
}

TEST_CASE("input times: what is counted all the time again is known as well as ever") {
  InputTimes times;
  times.begin(0);
  times.add(kSecond, {.inputs = inputs(1'000)});
  for (uint64_t t = 0; t < 3; ++t) {  // three windows
    times.add(kSecond + t * 120 * kMs + 40 * kMs, {.part = Part::kSample, .inputs = inputs(40)});
    times.add(kSecond + (t + 1) * 120 * kMs, {.part = Part::kNot});
  }
  const uint64_t begin = kSecond + 360 * kMs;
  for (uint64_t t = 1; t <= 600; ++t) times.add(begin + t * 100 * kMs, {.inputs = inputs(100)});
  const auto most = of(times, {begin / 2, begin + 30 * kSecond + 50 * kMs});
  CHECK(most.inputs.descriptor[kThree] == doctest::Approx(30'500).epsilon(0.02));
  CHECK(error(most) < 500);
}

TEST_CASE("input times: nothing is known of the time before the first and between two counts") {
  InputTimes times;
  times.begin(5 * kSecond);
  times.add(6 * kSecond, {.inputs = inputs(100)});
  times.begin(8 * kSecond);
  times.add(9 * kSecond, {.inputs = inputs(100)});
  const auto all = of(times, {0, 10 * kSecond});
  CHECK(all.known_ns == doctest::Approx(2e9));
  CHECK(all.inputs.descriptor[kThree] == doctest::Approx(200));
}

TEST_CASE("input times: time that no sample stands for is not known") {
  InputTimes times;
  times.begin(0);
  times.add(kSecond, {.inputs = inputs(100)});
  times.add(2 * kSecond, {.part = Part::kNot});
  times.add(3 * kSecond, {.part = Part::kSample, .inputs = inputs(100)});
  times.add(4 * kSecond, {.part = Part::kNot});
  CHECK(of(times, {0, 4 * kSecond}).known_ns == doctest::Approx(2e9));
}

TEST_CASE(
    "input times: between samples it is as in these, and if counting slowed half of that more") {
  InputTimes times;
  times.begin(0);
  for (uint64_t t = 0; t < 20; ++t) {
    times.add(t * 100 * kMs + 40 * kMs,
              {.part = Part::kSample, .inputs = inputs(40, 80), .slowed = 0.02});
    times.add(t * 100 * kMs + 100 * kMs, {.part = Part::kNot});
  }
  const auto told = of(times, {0, 2 * kSecond});
  CHECK(told.known_ns == doctest::Approx(2e9));
  CHECK(told.counted_ns == doctest::Approx(0.8e9));
  CHECK(told.inputs.descriptor[kThree] == doctest::Approx(800 + 1'200 * 1.01));
  CHECK(told.inputs.descriptor[kFour] == doctest::Approx(1'600 + 2'400 * 1.01));
  // One part in a hundred, alike in all: no spread.
  CHECK(told.inputs.slowed.descriptor[kThree] == doctest::Approx(12.12));
  CHECK(told.inputs.slowed.descriptor[kFour] == doctest::Approx(24.24));
  CHECK(error(told) == doctest::Approx(0));
}

TEST_CASE("input times: between samples there are as many for each that was received as in these") {
  for (const bool known : {true, false}) {
    InputTimes times;
    times.begin(0);
    const auto received = [&](double many) { return known ? std::optional(many) : std::nullopt; };
    for (uint64_t t = 0; t < 20; ++t) {
      times.add(t * 100 * kMs + 40 * kMs, {Part::kSample, inputs(40, 80), 0.5, received(60)});
      // Twice as fast as while everything is counted.
      times.add(t * 100 * kMs + 100 * kMs, {Part::kNot, {}, 0, received(180)});
    }
    const auto told = of(times, {0, 2 * kSecond});
    CHECK(told.known_ns == doctest::Approx(2e9));
    CHECK(told.inputs.descriptor[kThree] == doctest::Approx(known ? 3'200 : 800 + 1'200 * 1.25));
    CHECK(told.inputs.descriptor[kFour] == doctest::Approx(known ? 6'400 : 1'600 + 2'400 * 1.25));
    CHECK((told.inputs.slowed.descriptor[kThree] > 0) == !known);
    CHECK(error(told) == doctest::Approx(0));
  }
}

TEST_CASE("input times: where hardly anything was received more samples are asked, or the clock") {
  for (const double each : {2.0, 0.0}) {
    InputTimes times;
    times.begin(0);
    for (uint64_t t = 0; t < 20; ++t) {
      times.add(t * 100 * kMs + 50 * kMs, {Part::kSample, inputs(50), 0, each});
      times.add(t * 100 * kMs + 100 * kMs, {Part::kNot, {}, 0, 2 * each});
    }
    const double between = each > 0 ? 2'000 : 1'000;
    CHECK(of(times, {0, 2 * kSecond}).inputs.descriptor[kThree] ==
          doctest::Approx(1'000 + between));
  }
}

TEST_CASE("input times: a time of which only most is known has the rest as that") {
  InputTimes times;
  times.begin(0);
  for (uint64_t t = 0; t < 20; ++t) {
    const uint64_t at = t * 100 * kMs;
    times.add(at + 38 * kMs, {Part::kSample, inputs(38), 0, 19.0});
    times.add(at + 40 * kMs, {Part::kNot});
    times.add(at + 100 * kMs, {Part::kNot, {}, 0, 60.0});
  }
  CHECK(of(times, {0, 2 * kSecond}).inputs.descriptor[kThree] ==
        doctest::Approx(20 * (38 + 2 * 62)));
}

TEST_CASE("input times: what was counted around a slice stands for nothing else") {
  InputTimes times;
  times.begin(0);
  for (uint64_t t = 0; t < 20; ++t) {
    times.add(t * 200 * kMs + 40 * kMs, {.part = Part::kSample, .inputs = inputs(40)});
    times.add(t * 200 * kMs + 100 * kMs, {.part = Part::kNot});
    times.add(t * 200 * kMs + 200 * kMs, {.inputs = inputs(7)});
  }
  const auto told = of(times, {0, 4 * kSecond});
  CHECK(told.inputs.descriptor[kThree] == doctest::Approx(20 * (100 + 7)));
}

TEST_CASE("input times: of a long run they are coarser, and the same") {
  InputTimes times;
  times.begin(0);
  Random random(3);
  constexpr uint64_t kCycles = 20'000;
  for (uint64_t t = 0; t < kCycles; ++t) {
    const double jitter = std::poisson_distribution<int>(40)(random);
    times.add(t * 100 * kMs + 40 * kMs, {.part = Part::kSample, .inputs = inputs(jitter)});
    times.add(t * 100 * kMs + 100 * kMs, {.part = Part::kNot});
  }
  const auto told = of(times, {0, kCycles * 100 * kMs});
  CHECK(told.inputs.descriptor[kThree] == doctest::Approx(kCycles * 100.0).epsilon(0.01));
  CHECK(told.known_ns == doctest::Approx(kCycles * 100e6));
  CHECK(error(told) / told.inputs.descriptor[kThree] < 0.01);
}

// Whether intervals hold of loads of all kinds, counted in windows as a run does it.
namespace {

struct Load {
  // Inputs of both strata per second at a moment, of a run that is drawn anew each time.
  std::function<std::function<std::pair<double, double>(double at_s)>(Random&)> draw;
};

struct Held {
  int held = 0, of = 0;
  double half_width = 0, off = 0;  // of all, as parts of the truth
  std::string text() const {
    return std::to_string(held) + " of " + std::to_string(of) + ", half-width " +
           std::to_string(half_width / of);
  }
};

// `received`: of threes, that is known also where nothing is counted.
Held simulate(const Load& load, uint64_t seed, double received = 0) {
  constexpr int kRuns = 60;
  constexpr double kStep = 0.005, kSeconds = 20, kWindow = 0.04, kSlice = 0.18;
  Random random(seed);
  Held out;
  std::uniform_real_distribution<double> part(0.5, 1.5);
  for (int run = 0; run < kRuns; ++run) {
    const auto rate = load.draw(random);
    InputTimes times;
    times.begin(0);
    Inputs seen;
    double truth = 0, left = 1, slice_in = 0.8, from_sockets = 0;
    Part now = Part::kCounted;
    const auto change = [&](double at, Part to, double length) {
      const auto known = received > 0 ? std::optional(from_sockets) : std::nullopt;
      times.add(uint64_t(at * 1e9), {.part = now, .inputs = seen, .received = known});
      seen = {};
      from_sockets = 0;
      now = to;
      left = length;
    };
    for (double at = 0; at < kSeconds; at += kStep) {
      const auto [threes, fours] = rate(at);
      const Inputs more = inputs(std::poisson_distribution<int>(threes * kStep)(random),
                                 std::poisson_distribution<int>(fours * kStep)(random));
      truth += more.descriptor[kThree] + more.descriptor[kFour];
      if (received > 0)
        from_sockets +=
            std::binomial_distribution<int>(int(more.descriptor[kThree]), received)(random);
      if (now != Part::kNot) seen.add(more);
      left -= kStep;
      slice_in -= kStep;
      if (now != Part::kCounted && slice_in <= 0)
        change(at + kStep, Part::kCounted, kSlice);
      else if (left <= 0 && now == Part::kNot)
        change(at + kStep, Part::kSample, kWindow);
      else if (left <= 0)
        change(at + kStep, Part::kNot, 0.08 * part(random));
      if (now == Part::kCounted && slice_in <= 0) slice_in = kSlice + 0.6 * part(random);
    }
    change(kSeconds, Part::kNot, 1);
    const auto told = of(times, {0, uint64_t(kSeconds * 1e9)});
    const double value = told.inputs.descriptor[kThree] + told.inputs.descriptor[kFour];
    const double half = 1.96 * error(told);
    if (truth <= 0) continue;
    ++out.of;
    out.held += std::abs(value - truth) <= half;
    out.half_width += half / truth;
    out.off += value / truth - 1;
  }
  return out;
}

// On and off, each for as long on average.
std::function<double(double)> bursts(Random& random, double mean_s, double high, double low) {
  std::vector<double> ends;
  std::exponential_distribution<double> length(1 / mean_s);
  for (double at = 0; at < 60;) ends.push_back(at += length(random));
  return [ends, high, low](double at) {
    return (std::ranges::upper_bound(ends, at) - ends.begin()) % 2 ? high : low;
  };
}

}  // namespace

TEST_CASE("input times: intervals hold of steady loads") {
  const Held seen =
      simulate({[](Random&) { return [](double) { return std::pair(8'000.0, 3'000.0); }; }}, 11);
  INFO(seen.text());
  CHECK(seen.held >= 0.93 * seen.of);
  CHECK(seen.half_width <= 0.01 * seen.of);
}

TEST_CASE("input times: of a load that rises and falls in waves of any length") {
  for (const double wave_s : {0.05, 0.3, 2.0, 15.0}) {
    const Held seen = simulate({[&](Random& random) {
                                 const double phase =
                                     std::uniform_real_distribution<double>(0, 6.28)(random);
                                 return [=](double at) {
                                   const double up = 1 + std::sin(phase + 6.28 * at / wave_s);
                                   return std::pair(5'000 * up, 2'000 * (2 - up));
                                 };
                               }},
                               21);
    INFO(wave_s << ": " << seen.text());
    CHECK(seen.held >= 0.9 * seen.of);
    CHECK(seen.half_width <= 0.12 * seen.of);
  }
}

TEST_CASE("input times: of bursts, shorter and longer than a window, of both clients or of one") {
  for (const double mean_s : {0.01, 0.1, 1.0, 5.0})
    for (const bool both : {true, false}) {
      const Held seen = simulate({[&](Random& random) {
                                   const auto one = bursts(random, mean_s, 12'000, 600);
                                   return [=](double at) {
                                     return std::pair(one(at), both ? one(at) / 2 : 4'000.0);
                                   };
                                 }},
                                 31);
      const std::string whose = both ? "both" : "one";
      INFO(mean_s << ' ' << whose << ": " << seen.text());
      CHECK(seen.held >= 0.9 * seen.of);
      CHECK(seen.half_width <= 0.2 * seen.of);
    }
}

TEST_CASE("input times: of bursts, of which it is known what was received, intervals are narrow") {
  for (const double low : {600.0, 0.0})
    for (const double mean_s : {0.01, 0.1, 1.0, 5.0}) {
      const Held seen =
          simulate({[&](Random& random) {
                     const auto one = bursts(random, mean_s, 12'000, low);
                     return [=](double at) { return std::pair(one(at), one(at) / 7); };
                   }},
                   41, 0.95);
      INFO(mean_s << ' ' << low << ": " << seen.text());
      CHECK(seen.held >= 0.9 * seen.of);
      CHECK(seen.half_width <= 0.02 * seen.of);
      CHECK(std::abs(seen.off) <= 0.002 * seen.of);
    }
}

TEST_CASE("input times: of few that are received they hold, too, and are not one-sided") {
  const Held seen =
      simulate({[](Random&) { return [](double) { return std::pair(250.0, 100.0); }; }}, 47, 1);
  INFO(seen.text() << ' ' << seen.off / seen.of);
  CHECK(seen.held >= 0.9 * seen.of);
  CHECK(std::abs(seen.off) <= 0.005 * seen.of);
}

TEST_CASE("input times: what is not received may come when it likes") {
  for (const double mean_s : {0.1, 1.0}) {
    const Held seen = simulate({[&](Random& random) {
                                 const auto one = bursts(random, mean_s, 12'000, 600);
                                 return [=](double at) { return std::pair(8'000.0, one(at)); };
                               }},
                               43, 1);
    INFO(mean_s << ": " << seen.text());
    CHECK(seen.held >= 0.9 * seen.of);
  }
}
