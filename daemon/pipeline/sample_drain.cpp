// SPDX-License-Identifier: Apache-2.0
#include "pipeline/sample_drain.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <utility>
#include <vector>

#include "base/thread.h"

namespace compmond::pipeline {
namespace {

// A cold wake-up is what this thread costs where there are few samples; 2 MiB of ring hold those of
// a second.
constexpr uint64_t kIntervalNs = 100'000'000;
constexpr uint64_t kSecond = 1'000'000'000;

}  // namespace

SampleDrain::SampleDrain(sampling::SampleSource& source, sampling::SampleSink& sink)
    : source_(source), sink_(sink), stop_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Result<void> SampleDrain::start() {
  auto thread = start_thread("cannot take in samples", [this] { loop(); });
  if (!thread) return Unexpected(std::move(thread.error()));
  thread_ = std::move(*thread);
  return {};
}

void SampleDrain::loop() {
  bool woken = false;  // by news: whose they are, many may follow
  while (!stopping_) {
    source_.drain(sink_);
    const auto rest = woken ? sampling::SampleSource::Rest() : source_.rest();
    woken = wait(rest.ns > kIntervalNs ? rest : sampling::SampleSource::Rest{.ns = kIntervalNs});
  }
  source_.drain(sink_);
}

// Whether news ended it.
bool SampleDrain::wait(const sampling::SampleSource::Rest& rest) const {
  std::vector<pollfd> ends{{stop_.get(), POLLIN, 0}};
  for (const int fd : rest.news) ends.push_back({fd, POLLIN, 0});
  const timespec time{time_t(rest.ns / kSecond), long(rest.ns % kSecond)};
  return ::ppoll(ends.data(), ends.size(), &time, nullptr) > 0;
}

void SampleDrain::stop() {
  if (!thread_.joinable()) return;
  stopping_ = true;
  ::eventfd_write(stop_.get(), 1);
  thread_.join();
}

}  // namespace compmond::pipeline
