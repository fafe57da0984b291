// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <thread>

#include "base/fd.h"
#include "base/result.h"
#include "sampling/sample.h"

namespace compmond::pipeline {

// The data side of samples: one thread hands what a source has to a sink, a dozen times a second,
// or less often while the source says that nothing happens.
class SampleDrain {
 public:
  // Both must outlive it.
  SampleDrain(sampling::SampleSource& source, sampling::SampleSink& sink);
  ~SampleDrain() { stop(); }

  // Exit::kUnavailable where there can be no more threads.
  Result<void> start();
  // Ends the thread after one last drain.
  void stop();

 private:
  void loop();
  bool wait(const sampling::SampleSource::Rest& rest) const;

  sampling::SampleSource& source_;
  sampling::SampleSink& sink_;
  std::thread thread_;
  std::atomic<bool> stopping_ = false;
  Fd stop_;  // an eventfd, readable once stopping_
};

}  // namespace compmond::pipeline
