// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/whole_time.h"
#include "snapshot/words.h"

// What a snapshot tells of figures that were not observed call by call but estimated.
namespace compmond::snapshot {

// A time with its 95 % interval; in JSON a list of the three.
struct Estimate {
  double value_ns = 0, low_ns = 0, high_ns = 0;
  bool operator==(const Estimate&) const = default;
};

// One that may be a lower bound, by more than its interval tells (estimate::mark).
struct MarkedEstimate : Estimate {
  MarkedEstimate() = default;
  MarkedEstimate(const Estimate& estimate, bool is_at_least = false)
      : Estimate(estimate), at_least(is_at_least) {}
  bool at_least = false;
  bool operator==(const MarkedEstimate&) const = default;
};

// A count with its 95 % interval; in JSON likewise.
struct CallsEstimate {
  double value = 0, low = 0, high = 0;
  bool operator==(const CallsEstimate&) const = default;
};

// What can be told; the others are absent. Own times are net_real_ns, cpu_ns and waiting_ns.
struct Estimated {
  std::optional<MarkedEstimate> raw_ns;       // anywhere on the stack
  std::optional<MarkedEstimate> net_real_ns;  // innermost: cpu_ns and waiting_ns together
  std::optional<MarkedEstimate> cpu_ns, waiting_ns;
  uint64_t samples = 0;  // that raw_ns rests on
  // That own times rest on; none: not told, then as many as raw_ns.
  std::optional<uint64_t> own_samples = std::nullopt;
  // Of waiting_ns, for a CPU: others had it. It may be a lower bound where waiting_ns is one.
  std::optional<Estimate> runnable_ns = std::nullopt;
  std::optional<CallsEstimate> calls = std::nullopt;  // from slices of the time, not from samples
  bool operator==(const Estimated&) const = default;
};
using TimeOf = std::optional<MarkedEstimate> Estimated::*;

// Of too few samples only an upper bound can be told: the high end of the interval.
constexpr uint64_t kFewSamples = 5;
inline bool few(const Estimated& estimated) { return estimated.samples < kFewSamples; }
inline bool few_own(const Estimated& estimated) {
  return estimated.own_samples.value_or(estimated.samples) < kFewSamples;
}
// Whether that is all that is known of one of the times, which must be there: of too few samples,
// and of an own time whose interval is so wide that few samples weigh most of it.
bool only_bound(const Estimated& of, TimeOf time);
// Whether it is told, and a lower bound.
inline bool at_least(const Estimated& of, TimeOf time) { return of.*time && (of.*time)->at_least; }

// What the figures of a component, an operation, an edge or a thread rest on.
struct Evidence {
  Word<EvidenceKind> calls, raw, real, edges, single;
  bool operator==(const Evidence&) const = default;
};

// How the samples of a window were taken. Counts are of samples, on CPU and off.
struct SamplesHealth {
  double hz = 0;  // on CPU, per second and busy CPU, as asked for
  uint64_t taken = 0, lost = 0;
  uint64_t truncated = 0, broken = 0;  // stacks whose callers are missing
  uint64_t elsewhere = 0;              // below no operation; as a part of time, elsewhere_text()
  double off_cpu_share = 0;            // of the time, in which waiting was sampled
  Estimate elsewhere_cpu_ns, elsewhere_waiting_ns;
  double cpu_ns = 0;            // that the processes used, exactly
  uint64_t known_until_ns = 0;  // what came later is not counted yet; 0: not told
  double waiting_ns = 0;        // that was sampled, of all threads; 0: none, or not told
  struct Elsewhere {
    std::string image;  // path of the innermost frame's file; "[vdso]"; empty: of no file
    Estimate cpu_ns, waiting_ns;
    bool operator==(const Elsewhere&) const = default;
  };
  std::vector<Elsewhere> elsewhere_by_image;  // those with the most time, first
  // Of cpu_ns, in which the kernel worked for probes, whosever; none: not told.
  std::optional<Estimate> probes_cpu_ns = std::nullopt;
  bool operator==(const SamplesHealth&) const = default;
};

// Whether waiting was sampled all the time.
inline bool sees_all_waiting(const SamplesHealth& samples) {
  return samples.off_cpu_share >= kWholeTime;
}
// "12.0 % of CPU time, 40.0 % of waiting elsewhere".
std::string elsewhere_text(const SamplesHealth& samples);
// What the code of a file is called in lists.
std::string image_label(const SamplesHealth::Elsewhere& elsewhere);

}  // namespace compmond::snapshot
