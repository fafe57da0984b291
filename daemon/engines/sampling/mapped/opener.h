// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/fd.h"
#include "base/result.h"
#include "guard/channel.h"
#include "target/process.h"

namespace compmond::sampler {

// Opens what processes map later, and their perf maps, also where only the user may read them who
// compmond was at its start: a process of its own stays that user, without capabilities, and hands
// out nothing but ELF files and perf maps, for reading. Any thread.
class Opener {
 public:
  // Before rights are given up, and before any thread. Exit::kUnavailable.
  static Result<Opener> start();

  // As open_mapped_file and PerfMaps::open_perf_map_of.
  Result<Fd> mapped_file(pid_t pid, const target::Mapping& mapping);
  Result<Fd> perf_map(pid_t pid, const Fd& tmp);

 private:
  explicit Opener(guard::Child child) : child_(std::move(child)) {}
  Result<Fd> ask(const std::string& request, const Fd& tmp);

  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
  guard::Child child_;
};

}  // namespace compmond::sampler
