// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "estimate/sample_store.h"
#include "pipeline/data_side.h"
#include "recording/log_reader.h"
#include "replay/logged_slices.h"
#include "replay/replay_source.h"
#include "stacks/model.h"

namespace compmond::replay {

// Plays a log into a data side like that of a live run. Stands still at the log's beginning first.
// To be used by one thread.
class ReplayPlayer {
 public:
  // `options` but for the start and the recorder, of which there is none; `sampled`: what its
  // samples are attributed to, none where it has none.
  ReplayPlayer(recording::LogReader reader, pipeline::Options options,
               std::optional<estimate::Model> sampled);
  ~ReplayPlayer();

  // Makes its thread; comes before everything below. Exit::kUnavailable where there can be no more.
  Result<void> start() { return data_.start(); }

  // At so many times the original speed; 0: as fast as it goes.
  void play(double speed);
  void pause() { source_.pause(); }
  void end_at(uint64_t time_ns) { source_.end_at(time_ns); }  // it never goes beyond
  // So many events further, then stands still; it may still be on its way there.
  void start_step(uint64_t events);
  // To just before the first event after `time_ns`, and stands still there; likewise. Backwards
  // means all over again from the beginning, since what was open then follows from all events
  // before.
  void start_seek(uint64_t time_ns);
  // Likewise, and there when they return.
  void step(uint64_t events = 1);
  void seek(uint64_t time_ns);
  // Until it stands still, at most so long; whether it does.
  bool wait(double seconds) { return source_.wait(seconds); }

  // The log, and where it stands in it.
  const ReplaySource& source() const { return source_; }
  ReplaySource::Position position() const { return source_.position(); }

  // What came out of it up to a position.
  struct Picture {
    pipeline::SharedCheckpoint checkpoint;
    ReplaySource::Position position;  // no later than the checkpoint
  };
  // Of now or, while it moves, less than `age_ns` old. Valid until the next one or a jump.
  const Picture& look(uint64_t age_ns);
  // What pushes figures elsewhere hooks in here.
  pipeline::Publisher& publisher() { return data_.publisher(); }
  // Makes the checkpoint that a consumer waits for, also while it stands still. To be called a few
  // times a second, with CLOCK_MONOTONIC.
  void publish_due(uint64_t now_ns);
  // Of the checkpoints that were looked at since the last jump.
  double events_per_s() const { return data_.events_per_s(); }
  // Of the latest picture; likewise.
  const history::Store& store() const { return data_.pipeline().store(); }
  // Up to the position; null where the log has none. Valid until the next jump.
  const estimate::SampleStore* samples() const { return samples_.get(); }
  // Up to the position of the latest picture, or somewhat beyond; likewise.
  const LoggedSlices& slices() const { return slices_; }

 private:
  void begin();
  void settle();

  ReplaySource source_;
  pipeline::Options options_;
  std::optional<estimate::Model> sampled_;
  std::unique_ptr<estimate::SampleStore> samples_;  // once data_ began
  LoggedSlices slices_;
  pipeline::DataSide data_;         // after those: drains one into the other
  std::optional<Picture> picture_;  // the latest
};

}  // namespace compmond::replay
