// SPDX-License-Identifier: Apache-2.0
#include "estimate/interval.h"

#include <algorithm>
#include <cmath>

#include "base/whole_time.h"

namespace compmond::estimate {

namespace {

constexpr double kFewSamples = 5;
constexpr double kEdgesShare = 0.01;   // threads that are off at a window's ends, as measured
constexpr double kNobodyCares = 0.01;  // of a value
constexpr double kNoLoss = 0.001;      // part of the samples: their weights are missing
constexpr double kUs2 = 1e6;           // a square microsecond in square nanoseconds

double square(double x) { return x * x; }

// How many independent samples tell as much.
double effective_samples(const Sums& sums, double p, const Totals& totals) {
  const double all_ns = double(totals.samples.on_ns);
  const double variance = double(sums.on_variance);
  double n = 0;
  if (p > 0 && p < 1 && variance > 0)
    n = p * (1 - p) * square(all_ns) / (variance * kUs2);
  else if (totals.on_square > 0)
    n = square(all_ns) / (double(totals.on_square) * kUs2);
  if (variance > 0) n /= std::max(1.0, double(sums.on_moment_variance) / variance);
  return n;
}

}  // namespace

Interval wilson(double p, double n) {
  if (n <= 0) return {0, 1};
  const double z2 = square(kZ), scale = 1 + z2 / n;
  const double center = (p + z2 / 2 / n) / scale;
  const double half = kZ * std::sqrt(p * (1 - p) / n + z2 / 4 / square(n)) / scale;
  return {p > 0 ? center - half : 0, p < 1 ? center + half : 1};  // as they are, but for rounding
}

Estimate exact(double value_ns, uint64_t samples) {
  Estimate out;
  out.value_ns = out.low_ns = out.high_ns = out.own_high_ns = value_ns;
  out.samples = samples;
  return out;
}

void mark(Estimate& e) {
  const double half = (e.own_high_ns - e.low_ns) / 2;
  const bool hides = e.hidden_ns > std::max(half, kNobodyCares * e.value_ns);
  e.at_least = !e.below && (e.partly || e.jumps || hides);
}

Hidden hidden_callers(const Sums& sums, const Totals& totals, bool jumps) {
  const Sums& all = totals.samples;
  return {all.on_cut_ns - std::min(all.on_cut_ns, sums.on_cut_ns),
          all.off_cut_ns - std::min(all.off_cut_ns, sums.off_cut_ns), true, jumps};
}

Hidden hidden_innermost(const Sums& elsewhere) {
  return {elsewhere.on_cut_ns, elsewhere.off_cut_ns, false, false};
}

Estimate on_cpu(const Sums& sums, const Totals& totals, Hidden hidden) {
  Estimate out;
  const double cpu = double(totals.cpu_ns), all_ns = double(totals.samples.on_ns);
  const double p = all_ns > 0 ? std::min(1.0, double(sums.on_ns) / all_ns) : 0;
  const double n = effective_samples(sums, p, totals);
  const Interval share = wilson(p, n);
  out.value_ns = p * cpu;
  out.low_ns = share.low * cpu;
  out.high_ns = out.own_high_ns = share.high * cpu;
  out.samples = sums.on_samples;
  out.below = double(sums.on_samples) < kFewSamples && cpu > 0;
  out.jumps = hidden.jumps;
  if (hidden.on_ns > 0) {
    const double more = double(hidden.on_ns) / all_ns;
    if (hidden.allowed || out.below) out.high_ns = wilson(std::min(1.0, p + more), n).high * cpu;
    out.hidden_ns = more * cpu;
  }
  mark(out);
  return out;
}

Estimate off_cpu(const Sums& sums, const Totals& totals, Wait wait, Hidden hidden) {
  Estimate out;
  const double all = double(sums.off_ns());
  const uint64_t wanted = wait == Wait::kBlocked    ? sums.blocked_ns
                          : wait == Wait::kRunnable ? sums.runnable_ns
                                                    : sums.off_ns();
  const double value = double(wanted), part = all > 0 ? value / all : 0;
  const double variance = double(sums.off_variance) * kUs2 * part;
  out.value_ns = value;
  out.samples = sums.off_samples;
  const double half = kZ * std::sqrt(variance) + kEdgesShare * value;
  out.low_ns = std::max(0.0, value - half);
  out.high_ns = value + half;
  if (value <= 0) {
    const double time_ms = double(totals.off_time_ns) / 1e6;
    out.high_ns = time_ms > 0 ? 3 * double(totals.off_period_ms_us) * 1000 / time_ms : 0;
    out.below = out.high_ns > 0;
  } else if (square(value) < kFewSamples * variance) {
    const double unit = variance / value, k = value / unit, z2 = square(kZ);
    const double spread = kZ * std::sqrt(k + z2 / 4);
    out.low_ns = unit * std::max(0.0, k + z2 / 2 - spread);
    out.high_ns = unit * (k + z2 / 2 + spread);
    out.below = true;
  }
  out.own_high_ns = out.high_ns;
  out.partly = double(totals.off_time_ns) < kWholeTime * double(totals.time_ns) ||
               double(totals.lost) > kNoLoss * double(totals.samples.off_samples);
  out.jumps = hidden.jumps;
  out.hidden_ns = double(hidden.off_ns);
  const bool bound = out.below || double(out.samples) < kFewSamples;
  if (hidden.allowed || bound) out.high_ns += out.hidden_ns;
  mark(out);
  return out;
}

void nest(Estimate& part, Estimate& whole) {
  part.own_high_ns = std::min(part.own_high_ns, whole.own_high_ns);
  part.high_ns = std::min(part.high_ns, whole.high_ns);
  whole.low_ns = std::max(whole.low_ns, part.low_ns);
}

Estimate sum(const Estimate& a, const Estimate& b) {
  Estimate out;
  out.value_ns = a.value_ns + b.value_ns;
  const double below = std::hypot(a.value_ns - a.low_ns, b.value_ns - b.low_ns);
  const double above = std::hypot(a.own_high_ns - a.value_ns, b.own_high_ns - b.value_ns);
  out.low_ns = std::max(0.0, out.value_ns - below);
  out.own_high_ns = out.value_ns + above;
  out.high_ns = out.own_high_ns + (a.high_ns - a.own_high_ns) + (b.high_ns - b.own_high_ns);
  out.hidden_ns = a.hidden_ns + b.hidden_ns;
  out.partly = a.partly || b.partly;
  out.jumps = a.jumps || b.jumps;
  out.samples = a.samples + b.samples;
  const auto little = [](const Estimate& e) { return e.below || e.value_ns <= 0; };
  out.below = (a.below || b.below) && little(a) && little(b);
  mark(out);
  return out;
}

}  // namespace compmond::estimate
