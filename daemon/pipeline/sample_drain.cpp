// SPDX-License-Identifier: Apache-2.0
#include "pipeline/sample_drain.h"

#include <chrono>

namespace compmond::pipeline {
namespace {

// A cold wake-up is what this thread costs where there are few samples; 2 MiB of ring hold those of
// a second.
constexpr auto kInterval = std::chrono::milliseconds(80);

}  // namespace

void SampleDrain::start() {
  thread_ = std::thread([this] { loop(); });
}

void SampleDrain::loop() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    source_.drain(sink_);
    lock.lock();
    changed_.wait_for(lock, kInterval, [this] { return stopping_; });
  }
  lock.unlock();
  source_.drain(sink_);
}

void SampleDrain::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

}  // namespace compmond::pipeline
