// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/result.h"
#include "core/worker.h"
#include "pipeline/event_rate.h"
#include "pipeline/pipeline.h"
#include "pipeline/publisher.h"
#include "record/event.h"

namespace compmond::pipeline {

// The data side of a run, live or replayed, for who looks at it: a pipeline, who gets the
// checkpoints that it makes, and how fast its events come. One thread, beside the pipeline's own.
class DataSide {
 public:
  DataSide();
  DataSide(const DataSide&) = delete;
  DataSide& operator=(const DataSide&) = delete;

  // Makes its thread; comes first. Exit::kUnavailable where there can be no more of them.
  Result<void> start();
  // Begins to drain `source`, which like the recorder must outlive this or drop().
  void begin(record::EventSource& source, const Options& options);
  // Stops; another one may begin.
  void drop() { pipeline_.reset(); }
  bool began() const { return pipeline_ != nullptr; }

  // While one began.
  Pipeline& pipeline() const { return *pipeline_; }
  // As Publisher::read.
  SharedCheckpoint read(uint64_t age_ns = 0) { return publisher_.read(age_ns); }
  // The checkpoint that a consumer waits for, made now; null where none does. To be called a few
  // times a second with CLOCK_MONOTONIC.
  SharedCheckpoint publish_due(uint64_t now_ns);

  // Where consumers of checkpoints are added.
  Publisher& publisher() { return publisher_; }
  // Of the checkpoints since the beginning, or since forget_rate().
  double events_per_s() const { return rate_.per_second(); }
  void forget_rate() { rate_ = {}; }

 private:
  std::optional<Worker> worker_;  // once started
  std::unique_ptr<Pipeline> pipeline_;
  Publisher publisher_;
  EventRate rate_;
};

}  // namespace compmond::pipeline
