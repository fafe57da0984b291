// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "base/window.h"
#include "record/event.h"
#include "recording/log_reader.h"
#include "replay/sample_feed.h"
#include "replay/slice_feed.h"

namespace compmond::replay {

// A log as the source of events and samples, with its own clock, which stands still, runs at a
// speed, or jumps. Events come in the order in which they were recorded: those of other threads
// that happened before "now" may follow within some 50 ms, so this is not to be merged with another
// source. Controlled from any thread; drained by one.
class ReplaySource : public record::EventSource {
 public:
  explicit ReplaySource(recording::LogReader reader);

  // Begins anew, standing still. From now on drain() hands samples to `samples` if there is one, in
  // the order in which they were told, each once the clock is there.
  void rewind(sampling::SampleSink* samples);
  // Goes on at so many times the original speed; 0: as fast as it goes.
  void play(double speed);
  void pause();
  // From now on it comes to a stand there, however it gets there.
  void end_at(uint64_t time_ns);
  // Hands over so many events more, or samples where the log has no events, then stands still.
  void step(uint64_t events);
  // As fast as it goes, up to the first event after `time_ns`, then stands still.
  void run_to(uint64_t time_ns);
  // Until it stands still or is at the end, at most so long; whether it is.
  bool wait(double seconds);

  struct Position {
    uint64_t time_ns = 0;  // the log's clock
    uint64_t events = 0;   // handed over so far
    bool at_end = false;
    bool moving = false;
    double speed = 1;  // at which play was last asked for; 0: as fast as it goes
    bool operator==(const Position&) const = default;
  };
  Position position() const;
  // The run as the log had it at the position or up to some seconds before; CPU time as of then,
  // since the log begins.
  recording::State state() const;
  // What all targets used in that time, as far as the log tells: between two states in proportion.
  uint64_t cpu_used_ns(Window time) const;
  // What slices told up to the position, since the last time.
  std::vector<recording::SliceBlock::Step> take_slices();
  // Damage up to the position.
  std::vector<recording::Damage> damage() const;
  // The log's own; do not change.
  const recording::Header& header() const { return reader_.header(); }
  const recording::State& last_state() const { return reader_.last_state(); }
  uint64_t begin_ns() const { return reader_.begin_ns(); }
  uint64_t end_ns() const { return reader_.end_ns(); }
  uint64_t events() const { return reader_.events(); }

  size_t drain(record::EventSink& sink) override;
  record::Ledger ledger() const override;
  uint64_t now_ns() const override;

 private:
  enum class Mode { kStill, kPlay, kFast, kStep, kRunTo };

  void move(Mode mode);
  uint64_t clock_ns() const;
  bool load();
  size_t deliver(record::EventSink& sink, uint64_t until_ns, size_t most);
  size_t deliver_samples(uint64_t until_ns, size_t most);
  size_t deliver_slices(uint64_t until_ns);
  void count(std::span<const record::Event> events);
  void stand_at(uint64_t time_ns);
  void arrive();

  mutable std::mutex mutex_;  // guards all that follows
  std::condition_variable still_;
  recording::LogReader reader_;
  recording::DecodedChunk chunk_;
  size_t delivery_ = 0, event_ = 0;  // next of chunk_, and within that delivery
  SampleFeed samples_;               // of chunk_
  SliceFeed slices_;                 // likewise
  Mode mode_ = Mode::kStill;
  uint64_t anchor_clock_ns_ = 0, anchor_ns_ = 0;  // this machine's clock when the log's had that
  uint64_t steps_ = 0, run_to_ns_ = 0;
  uint64_t bound_ns_ = UINT64_MAX;  // of end_at
  Position position_;
  uint64_t delivered_ = 0, lost_ = 0;  // records
};

}  // namespace compmond::replay
