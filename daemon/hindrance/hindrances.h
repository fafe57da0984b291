// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "hindrance/filters.h"

// Whether system calls of processes reach the kernel as they are made.
namespace compmond::hindrance {

// Asks the kernel who takes system calls of processes: a tracer, or they themselves. Of the whole
// machine at once, some 0.1 µs per thread. One thread.
class Hindrances {
 public:
  // Exit::kNoPermission or Exit::kUnavailable where the kernel cannot be asked. Unless `filters`
  // are passed, having one is a hindrance.
  static Result<Hindrances> open(Filters filters);
  Hindrances(Hindrances&&) noexcept;
  Hindrances& operator=(Hindrances&&) noexcept;
  ~Hindrances();

  // Why system calls that are made for probes in these may not arrive, for people, of each for
  // which something speaks against it. compmond is no tracer that counts.
  std::map<pid_t, std::string> of(std::span<const pid_t> processes) const;

 private:
  struct Impl;
  explicit Hindrances(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

std::string traced_by(pid_t process, pid_t tracer);
std::string filtered(pid_t process);

}  // namespace compmond::hindrance
