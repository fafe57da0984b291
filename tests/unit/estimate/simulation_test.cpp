// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <functional>
#include <random>

#include "estimate/estimates.h"
#include "samples.h"

// Programs whose books are known, sampled as the kernel does: whether the intervals hold.
using namespace compmond;
using namespace compmond::estimate;
using namespace compmond::estimate::samples;

namespace {

constexpr int kRuns = 400;
constexpr uint64_t kRunNs = 5 * kSecond;
constexpr int kOperations = 8;
constexpr std::array<double, kOperations> kShares = {0.40, 0.25, 0.15,  0.10,
                                                     0.05, 0.03, 0.015, 0.005};
using Random = std::mt19937_64;

double uniform(Random& random, double from, double to) {
  return std::uniform_real_distribution(from, to)(random);
}
int draw(Random& random) {
  return std::discrete_distribution<int>(kShares.begin(), kShares.end())(random);
}

// A thread that stays in one operation after the other; books: the time in each.
struct Program {
  // `stay` draws lengths; drawn shares, so that the books differ from run to run.
  Program(Random& random, const std::function<double(Random&)>& stay) {
    for (double at = 0; at < double(kRunNs);) {
      const int op = draw(random);
      const double length = std::min(stay(random), double(kRunNs) - at);
      books[size_t(op)] += length;
      at += length;
      ends.push_back(at);
      operations.push_back(op);
    }
  }
  int at(double time) const {
    const auto behind = std::ranges::upper_bound(ends, time);
    return operations[std::min(size_t(behind - ends.begin()), ends.size() - 1)];
  }
  std::array<double, kOperations> books{};
  std::vector<double> ends;
  std::vector<int> operations;
};

// As the sampler's: a new period every 60 ms, ±25 %.
std::vector<double> moments(Random& random, double hz, double from, double to) {
  std::vector<double> out;
  double at = from + uniform(random, 0, 1e9 / hz), period = 0, renew = from;
  while (at < to) {
    out.push_back(at);
    while (renew <= at) {
      period = 1e9 / hz * uniform(random, 0.75, 1.25);
      renew += 60e6;
    }
    at += period;
  }
  return out;
}

struct Coverage {
  int held = 0, of = 0;
  double error = 0, width = 0;
  void add(const Estimate& e, double truth) {
    held += e.low_ns <= truth && truth <= e.high_ns;
    ++of;
    error += std::abs(e.value_ns - truth);
    width += (e.high_ns - e.low_ns) / 2;
  }
  double share() const { return double(held) / of; }
  std::string text() const {
    return std::to_string(share()) + " of " + std::to_string(of) + ", mean error " +
           std::to_string(error / of / 1e6) + " ms, half-width " + std::to_string(width / of / 1e6);
  }
};

void stretches(Fed& fed, double hz, uint64_t threads = 1) {
  for (uint64_t s = 0; s < kRunNs / kSecond; ++s)
    fed.stretch(s * kSecond, (s + 1) * kSecond, hz, threads * kSecond);
}

}  // namespace

TEST_CASE("simulation: 95 % intervals of independent samples hold in 93 to 97 %") {
  Random random(1);
  Coverage all;
  for (int run = 0; run < kRuns; ++run) {
    Fed fed(kOperations);
    for (const double at : moments(random, 199, 0, double(kRunNs)))
      fed.on(uint64_t(at), {draw(random)});
    stretches(fed, 199);
    const Estimates e(fed.store, {});
    for (int op = 0; op < kOperations; ++op)
      all.add(e.operation(op).own.on_cpu, kShares[size_t(op)] * double(kRunNs));
  }
  INFO(all.text());
  CHECK(all.share() >= 0.93);
  CHECK(all.share() <= 0.97);
  MESSAGE(all.text());
}

TEST_CASE("simulation: they hold against the books where threads stay for 100 ms") {
  Random random(2);
  Coverage fixed, exponential, brief;
  for (int run = 0; run < kRuns; ++run)
    for (Coverage* coverage : {&fixed, &exponential, &brief}) {
      const Program program(random, [&](Random& r) {
        return coverage == &fixed         ? 100e6
               : coverage == &exponential ? std::exponential_distribution(1e-8)(r)
                                          : std::exponential_distribution(1e-6)(r);
      });
      Fed fed(kOperations);
      for (const double at : moments(random, 199, 0, double(kRunNs)))
        fed.on(uint64_t(at), {program.at(at)});
      stretches(fed, 199);
      const Estimates e(fed.store, {});
      for (int op = 0; op < kOperations; ++op)
        coverage->add(e.operation(op).own.on_cpu, program.books[size_t(op)]);
    }
  for (const Coverage* coverage : {&fixed, &exponential, &brief}) {
    CHECK(coverage->share() >= 0.93);
    MESSAGE(coverage->text());
  }
}

TEST_CASE("simulation: they hold where eight threads in lockstep are hit together") {
  Random random(3);
  Coverage all;
  for (int run = 0; run < kRuns; ++run) {
    const Program program(random, [](Random&) { return 3e6; });
    Fed fed(kOperations);
    for (const double at : moments(random, 62, 0, double(kRunNs)))
      for (uint32_t tid = 0; tid < 8; ++tid)
        fed.on(uint64_t(at) + tid * 20'000, {program.at(at)}, tid);
    stretches(fed, 62, 8);
    const Estimates e(fed.store, {});
    for (int op = 0; op < kOperations; ++op)
      if (program.books[size_t(op)] > 0.02 * double(kRunNs))
        all.add(e.operation(op).own.on_cpu, 8 * program.books[size_t(op)]);
  }
  CHECK(all.share() >= 0.93);
  MESSAGE(all.text());
}

TEST_CASE("simulation: a rate that changes in mid-window, as the load does, biases nothing") {
  Random random(4);
  std::array<double, 2> sum{}, truth{};
  Coverage all;
  for (int run = 0; run < kRuns; ++run) {
    Fed fed(2);
    truth = {};
    for (uint64_t s = 0; s < 5; ++s) {
      // Busy seconds are sampled less often, idle ones hardly at all, and do other things.
      const double hz[] = {199, 50, 199, 20, 99}, cpus[] = {0.5, 3.7, 0.02, 0.11, 1};
      const double share[] = {0.2, 0.7, 0.9, 0.8, 0.3};
      const auto start = double(s * kSecond), cpu = cpus[s] * double(kSecond);
      const int hits = std::poisson_distribution<int>(hz[s] * cpus[s])(random);
      for (int i = 0; i < hits; ++i)
        fed.on(uint64_t(start + uniform(random, 0, 1e9)),
               {uniform(random, 0, 1) < share[s] ? 0 : 1});
      fed.stretch(s * kSecond, (s + 1) * kSecond, hz[s], uint64_t(cpu));
      truth[0] += share[s] * cpu;
      truth[1] += (1 - share[s]) * cpu;
    }
    const Estimates e(fed.store, {});
    for (int op = 0; op < 2; ++op) {
      sum[size_t(op)] += e.operation(op).own.on_cpu.value_ns / kRuns;
      all.add(e.operation(op).own.on_cpu, truth[size_t(op)]);
    }
  }
  CHECK(sum[0] == doctest::Approx(truth[0]).epsilon(0.01));
  CHECK(sum[1] == doctest::Approx(truth[1]).epsilon(0.01));
  CHECK(all.share() >= 0.93);
  CHECK(all.share() <= 0.97);
  MESSAGE(all.text());
}

TEST_CASE(
    "simulation: what runs only when little runs gets its time, though most seconds miss it") {
  Random random(6);
  double idle = 0;
  for (int run = 0; run < kRuns; ++run) {
    Fed fed(2);
    for (uint64_t s = 0; s < 10; ++s) {
      const uint64_t cpu = s % 2 ? kSecond : 25 * kMs;
      const int hits = std::poisson_distribution<int>(20 * double(cpu) / 1e9)(random);
      for (int i = 0; i < hits; ++i) fed.on(s * kSecond + uint64_t(i) * 10 * kMs, {int(s % 2)});
      fed.stretch(s * kSecond, (s + 1) * kSecond, 20, cpu);
    }
    idle += Estimates(fed.store, {}).operation(0).own.on_cpu.value_ns / kRuns;
  }
  CHECK(idle == doctest::Approx(5 * 25e6).epsilon(0.08));
}

TEST_CASE("simulation: time off CPU is unbiased and its intervals hold, whatever the waits") {
  constexpr double kPeriod = 5e6;
  const std::function<double(Random&)> kinds[] = {
      [](Random& r) { return std::exponential_distribution(1e-6)(r); },  // 1 ms
      [](Random&) { return 2e6; },
      [](Random& r) {  // many short ones, few long ones
        return uniform(r, 0, 1) < 0.9 ? uniform(r, 1e4, 2e5)
                                      : std::exponential_distribution(1 / 30e6)(r);
      }};
  Random random(5);
  for (const auto& wait : kinds) {
    Coverage all;
    double bias = 0;
    for (int run = 0; run < kRuns; ++run) {
      Fed fed(1);
      double at = 0, truth = 0;
      for (;;) {
        const double runs = uniform(random, 1e4, 2e6), waits = std::floor(wait(random));
        if (at + runs + waits >= double(kRunNs)) break;
        at += runs + waits;
        truth += waits;
        if (uniform(random, 0, 1) < waits / kPeriod)
          fed.off(uint64_t(at), {0}, uint64_t(waits), uint64_t(std::max(waits, kPeriod)));
      }
      stretches(fed, 0);
      const Estimate e = Estimates(fed.store, {}).operation(0).own.off_cpu;
      all.add(e, truth);
      bias += (e.value_ns / truth - 1) / kRuns;
    }
    CHECK(std::abs(bias) < 0.02);
    CHECK(all.share() >= 0.90);
    MESSAGE(all.text() << ", bias " << bias);
  }
}
