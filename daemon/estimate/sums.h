// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "core/word_sums.h"

// What is stored of samples: values that add up, over time and over runs, and never intervals.
// Variances are in square microseconds, so that 64 bits hold those of a week.
namespace compmond::estimate {

// Of one key.
struct Sums {
  // On CPU. A sample stands for the CPU time of its group of stretches / the samples in it.
  uint64_t on_samples = 0;
  uint64_t on_ns = 0;
  uint64_t on_variance = 0;         // if samples were independent of each other
  uint64_t on_moment_variance = 0;  // if those of one moment depend on each other (tile_builder.h)
  uint64_t on_cut_ns = 0;           // of on_ns: stacks without their first callers
  // Off CPU: weights.
  uint64_t off_samples = 0;
  uint64_t blocked_ns = 0;
  uint64_t runnable_ns = 0;  // waited for a CPU
  uint64_t off_variance = 0;
  uint64_t off_cut_ns = 0;  // of both

  uint64_t off_ns() const { return blocked_ns + runnable_ns; }
  Sums& operator+=(const Sums& other) {
    add_words(*this, other);
    return *this;
  }
};

// Of all keys together.
struct Totals {
  // Of stretches.
  uint64_t time_ns = 0;
  uint64_t on_time_ns = 0;        // in which there were samples on CPU
  uint64_t probes_time_ns = 0;    // in which these tell time in probes
  uint64_t off_time_ns = 0;       // in which waiting was sampled
  uint64_t off_period_ms_us = 0;  // Σ off-CPU period in µs · time in ms: for its mean
  uint64_t cpu_ns = 0;            // exactly, in on_time_ns
  uint64_t unsampled_cpu_ns = 0;  // exactly, in the rest: no sample stands for it
  uint64_t lost = 0;              // samples
  // Of samples.
  Sums samples;            // variances: 0, nothing is chosen here; cut: callers are missing
  uint64_t on_square = 0;  // Σ weight², in µs²
  uint64_t on_truncated = 0, on_broken = 0, off_truncated = 0, off_broken = 0;
  uint64_t unplaced = 0;  // of these: cut before any operation was met, so they are elsewhere

  Totals& operator+=(const Totals& other) {
    add_words(*this, other);
    return *this;
  }
};

inline uint64_t rounded(double x) { return x > 0 ? uint64_t(std::llround(x)) : 0; }

}  // namespace compmond::estimate
