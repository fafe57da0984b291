// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "pipeline/pipeline.h"

namespace compmond::pipeline {

// Where readers get checkpoints from: the newest one while it is young enough, else one made anew,
// which also goes to the consumers: to what pushes figures elsewhere. The drain thread only makes
// it. Everything here is of one thread, on which consumers are called, too.
class Publisher {
 public:
  // From now on checkpoints are of this pipeline, which must be there as long as read() is called;
  // none is left of the one before.
  void follow(Pipeline& pipeline);

  // The newest one where it was made less than `age_ns` ago, by this machine's clock; 0: one made
  // now. Once the pipeline has stopped, that is always the same one.
  SharedCheckpoint read(uint64_t age_ns = 0);

  // Gets each new checkpoint, by whomever it was asked for; and one at least every `every_ns`,
  // unless that is 0. May keep it. Must not read() here.
  using Consumer = std::function<void(const SharedCheckpoint&)>;
  void add(Consumer consumer, uint64_t every_ns = 0);
  // Whether a consumer waits for its next one, which read() makes; to be asked a few times a second
  // with CLOCK_MONOTONIC.
  bool due(uint64_t now_ns) const;

 private:
  struct Consuming {
    Consumer take;
    uint64_t every_ns;
  };
  Pipeline* pipeline_ = nullptr;
  SharedCheckpoint newest_;
  uint64_t asked_ns_ = 0;  // for the newest
  std::vector<Consuming> consumers_;
};

}  // namespace compmond::pipeline
