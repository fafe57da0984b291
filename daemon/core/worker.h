// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"

namespace compmond {

// A thread that is there before there is work for it, and does one thing after the other: who has
// one can begin anew without asking for a thread that there may not be. Move-only; its destructor
// waits until what was begun is done. To be used by one thread.
class Worker {
 public:
  // Exit::kUnavailable where there can be no more threads: `what` cannot be done without it.
  static Result<Worker> start(std::string what);
  Worker(Worker&&) noexcept;
  Worker& operator=(Worker&&) noexcept;
  ~Worker();

  // Begins `work`, which must not throw, once what was begun before is done.
  void run(std::function<void()> work);
  // Until what was begun is done; at once where nothing was.
  void wait();

 private:
  class Impl;
  explicit Worker(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace compmond
