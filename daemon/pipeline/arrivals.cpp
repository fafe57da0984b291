// SPDX-License-Identifier: Apache-2.0
#include "pipeline/arrivals.h"

#include <sys/eventfd.h>

#include <utility>

namespace compmond::pipeline {

Arrivals::Arrivals() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void Arrivals::add(pid_t pid) {
  const std::lock_guard lock(mutex_);
  if (waiting_.insert(pid).second) ::eventfd_write(fd_.get(), 1);
}

void Arrivals::add_executed(Executed executed) {
  const std::lock_guard lock(mutex_);
  executed_.push_back(executed);
  ::eventfd_write(fd_.get(), 1);
}

std::vector<Arrivals::Executed> Arrivals::take_executed() {
  const std::lock_guard lock(mutex_);
  return std::exchange(executed_, {});
}

std::vector<pid_t> Arrivals::take() {
  const std::lock_guard lock(mutex_);
  eventfd_t count = 0;
  ::eventfd_read(fd_.get(), &count);
  std::vector<pid_t> out(waiting_.begin(), waiting_.end());
  waiting_.clear();
  return out;
}

}  // namespace compmond::pipeline
