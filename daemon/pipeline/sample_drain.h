// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "sampling/sample.h"

namespace compmond::pipeline {

// The data side of samples: one thread hands what a source has to a sink, a dozen times a second.
class SampleDrain {
 public:
  // Both must outlive it.
  SampleDrain(sampling::SampleSource& source, sampling::SampleSink& sink)
      : source_(source), sink_(sink) {}
  ~SampleDrain() { stop(); }

  void start();
  // Ends the thread after one last drain.
  void stop();

 private:
  void loop();

  sampling::SampleSource& source_;
  sampling::SampleSink& sink_;
  std::thread thread_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  bool stopping_ = false;
};

}  // namespace compmond::pipeline
