// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/window.h"
#include "counts/run_inputs.h"

namespace compmond::counts {

// The inputs of a run, by when they came, told in the order of time. Where counting all of them is
// too dear, random samples of the time stand for what lies between. Bounded: what is old is known
// by times of up to 1/256 of its age, and of what was counted in very many short times the oldest
// is forgotten. One thread.
class InputTimes {
 public:
  enum class Part : uint8_t {
    kCounted,  // all inputs of it are known
    kSample,   // likewise, and it stands for the time that was not counted
    kNot,      // nobody counted
  };
  // Of the time since the last one, or since begin().
  struct Seen {
    Part part = Part::kCounted;
    Inputs inputs{};
    double slowed = 0;  // of a sample: by what part, at most, counting slowed the targets
    // Of the same time, also where nobody counted the rest: inputs of a kind that costs little.
    std::optional<double> received{};
  };
  // From here on; nothing is known of the time before, or since the last one.
  void begin(uint64_t time_ns);
  void add(uint64_t until_ns, const Seen& seen);

  struct Told {
    RunInputs inputs;
    double known_ns = 0;    // of these times: counted, or between samples
    double counted_ns = 0;  // of it
  };
  // Of times of which none overlap. What lies between two samples has as many inputs for each that
  // was received as they have (a ratio estimator: Cochran, Sampling Techniques, 6.1), where hardly
  // any were, as these and their neighbours; or, where it is not known how many were received, the
  // mean of their rates, as if counting had slowed them by half of what it may have. How much
  // neighbouring samples differ is how well that is known (Wolter, Introduction to Variance
  // Estimation, 8.2.1).
  Told of(std::span<const Window> times) const;
  // How often what is told of old times became coarser.
  uint64_t thinned_out() const { return thinned_out_; }
  size_t size() const { return spans_.size(); }

 private:
  static constexpr size_t kSpans = 8192;  // at most
  static constexpr size_t kBatch = 512;   // after so many more the older ones are thinned out
  static constexpr uint64_t kLeast = 50'000'000;  // of one, in ns
  // Within what is between two samples, around slices; beyond, all is counted again.
  static constexpr double kMuchCounted = 1e9;
  static constexpr uint64_t kNew = 180'000'000'000, kPart = 256;
  struct Received {
    double ns = 0, inputs = 0;  // of the time in which they are known
    void add(const Received& other);
  };
  // A sample and what follows until the next one, or time that was counted.
  struct Span {
    Window time;
    Inputs counted{}, sample{};
    double counted_ns = 0, sample_ns = 0, not_ns = 0;
    double slowed_ns = 0;  // Σ slowed × sample_ns
    // Of the sample and of what was not counted: of how much it is known, and how many there were.
    Received of_sample{}, of_not{};
    void add(const Span& other);
  };
  struct Between;
  struct Group;
  bool starts(Part part) const;
  static uint64_t longest(uint64_t age_ns);
  void thin_out();
  Group group(size_t& at, int step, double received) const;
  using Groups = std::optional<std::pair<Group, Group>>;
  Groups samples_around(size_t span, double received) const;
  void add_between(size_t span, double share, Told& out, Between& all) const;
  void add_part(size_t span, double share, Told& out, Between& all) const;

  std::vector<Span> spans_;
  uint64_t until_ns_ = 0, thinned_out_ = 0;
  size_t thin_out_at_ = kBatch;
  bool begun_ = false;
};

}  // namespace compmond::counts
