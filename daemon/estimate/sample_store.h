// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tsl/robin_map.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/window.h"
#include "core/limits.h"
#include "estimate/probe_shares.h"
#include "estimate/recent.h"
#include "estimate/tile.h"
#include "estimate/tile_builder.h"
#include "estimate/timeline.h"
#include "sampling/sample.h"
#include "stacks/attribution.h"
#include "stacks/functions.h"
#include "stacks/stack_table.h"

namespace compmond::estimate {

// What was added up of a window.
struct WindowSums {
  uint64_t start_ns = 0, end_ns = 0;  // the part of it that is known
  bool coarse = false;  // an edge of it is pro rata: its samples are no longer there in full
  Totals totals;
  tsl::robin_map<Key, Sums, KeyHash> rows;

  void add(const Tile& tile);
  Sums of(Key key) const;
};

// The samples of a window by stack, as far as they are still there in full.
struct WindowStacks {
  struct Stack {
    std::vector<sampling::Frame> frames;  // innermost first
    sampling::Ended ended = sampling::Ended::kComplete;
    Sums in_program, in_kernel;  // no variances on CPU
  };
  std::vector<Stack> stacks;
  Totals totals;               // of these samples
  bool complete = true;        // no sample of the window is gone
  uint64_t without_stack = 0;  // samples whose stack was forgotten
};

// Keeps what samples say: sums over the whole run (timeline.h), and the newest in full. On CPU a
// sample's weight is known once its stretch is: share of samples × exact CPU time. Neighbouring
// stretches of one rate make a group of at least a second in which some ten samples are expected
// (by CPU time and rate, for a choice by what came would be biased), at most ten seconds long; it
// is a tile. CPU time of a group without a sample is in the totals and raises the whole in
// proportion. A wait lies in the tiles in which the thread waited.
//
// One writer, any readers: a mutex is held while one of them works, which is some microseconds for
// a sample and at worst about ten milliseconds for the sums of a long window.
class SampleStore final : public sampling::SampleSink {
 public:
  struct Options {
    size_t tiles_bytes = limits::kSampleTilesBytes;
    size_t recent_bytes = limits::kHistoryBytes / limits::kRecentSamplesShare;
    size_t stacks_bytes = limits::kHistoryBytes / limits::kStacksShare;
  };
  static Options options_of(size_t history_bytes);
  explicit SampleStore(Model model) : SampleStore(std::move(model), Options{}) {}
  SampleStore(Model model, Options options);

  // Writer.
  void on_image(const sampling::Image& image) override;
  void on_function(const sampling::Function& function) override;
  void on_sample(const sampling::Sample& sample) override;
  void on_stretch(const sampling::Stretch& stretch) override;

  // Readers. A sample counts when its stretch was told.
  uint64_t known_ns() const;  // where the newest stretch that was told ends; 0: none was
  WindowSums sums(Window window) const;
  WindowStacks stacks(Window window) const;
  // What called what directly on any stack of the run: caller and callee, of operations.
  std::vector<std::pair<uint32_t, uint32_t>> callers() const;
  // What each component's own operations did, on a CPU and waiting, in equal columns of a window
  // that has an end: for pictures. A sample's time lies evenly before it, over as much time as it
  // stands for; what is gone in full lies evenly in its tile; CPU time without a sample is missing.
  std::vector<std::vector<uint64_t>> activity(Window window, size_t columns) const;
  std::vector<ProbeShare> probe_shares(Window window, size_t most) const;  // as newest() of these
  int operation_of(const sampling::Frame& frame) const;
  FunctionId function_of(const sampling::Frame& frame) const;
  struct Named {
    std::string name;             // empty: it has none
    std::string image;            // path of its file, as its process sees it; empty: it is in none
    bool has_operations = false;  // its file, of the spec
  };
  Named named(FunctionId function) const;
  std::string path_of(sampling::ImageNumber image) const;      // "[vdso]"; empty: of no file
  const Model& model() const { return attribution_.model(); }  // does not change
  bool contains_others(int component) const { return attribution_.contains_others(component); }
  struct Counts {
    uint64_t stacks = 0, forgotten_stacks = 0, tiles = 0;
    uint64_t complete_since_ns = 0;  // 0: every sample of the run is there in full
    size_t memory_bytes = 0;
  };
  Counts counts() const;

 private:
  struct Waiting {  // for its stretch
    uint64_t number;
    sampling::Sample::Kind kind;
    bool in_probe;
    OffSample sample;
  };
  // Stretches of one rate, and their samples on CPU.
  struct Group {
    Tile tile;
    double hz = 0, expected = 0;
    std::vector<OnSample> samples;
    std::vector<uint64_t> numbers;

    double weight_ns() const;
    Tile settled() const;
  };

  uint64_t told_ns() const;  // known_ns(), with the mutex held
  int component_of(const Attributed& attributed) const;
  void add(const sampling::Stretch& stretch);
  void take_waiting(uint64_t before_ns);
  void add_wait(const OffSample& sample, Waits& open);
  void settle();
  void add_edge(WindowSums& to, const Tile& tile, uint64_t from_ns, uint64_t to_ns) const;
  bool exact_edge(Tile& to) const;
  uint64_t weight_of(const RecentSample& sample) const;

  mutable std::mutex mutex_;
  Attribution attribution_;
  Functions functions_;
  std::vector<std::string> paths_;  // of images, by number
  StackTable stacks_;
  RecentSamples recent_;
  Timeline timeline_;
  Tile all_;  // what is in the timeline
  ProbeShares probe_shares_;
  std::deque<Waiting> waiting_;
  uint64_t dropped_ = 0;  // of the waiting ones, since the last stretch
  std::optional<Group> group_;
};

}  // namespace compmond::estimate
