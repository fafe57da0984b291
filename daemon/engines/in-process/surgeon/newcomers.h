// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>

namespace compmond::inprocess {

// Processes that begin, as the kernel numbers them one after the other. One thread.
class Newcomers {
 public:
  Newcomers();
  // Each number that was given since the last time, or since this was made: also those of threads,
  // and of what has ended. Of very many, and where the kernel began with the small ones again: all
  // processes that there are.
  void visit(const std::function<void(pid_t)>& visit);

 private:
  pid_t newest_;
};

}  // namespace compmond::inprocess
