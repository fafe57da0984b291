// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "base/result.h"

namespace compmond::sampler {

// The reading end of a BPF ring buffer, whose records are read where they lie: they hold stacks,
// of which no copy is made. Not part of a core dump. One thread; one reader per ring.
class Ring {
 public:
  static Result<Ring> open(int map_fd, size_t bytes);  // the descriptor stays the caller's
  Ring(Ring&& other) noexcept;
  ~Ring();

  // Becomes readable with the first record after all there were have been released; borrowed.
  int fd() const { return fd_; }
  // Up to where records stand by now.
  uint64_t written() const;
  // Calls `take` for each record from the last release() to `until`, or the first one that is still
  // being written. They stay until release().
  void read(uint64_t until, const std::function<void(std::span<const std::byte>)>& take);
  // Gives their room back to the kernel.
  void release();

 private:
  Ring() = default;
  int fd_ = -1;
  size_t bytes_ = 0, page_ = 0;
  std::byte* consumer_ = nullptr;  // our position, a page
  std::byte* producer_ = nullptr;  // the kernel's position, a page; then the data, twice in a row
  uint64_t read_ = 0;
};

}  // namespace compmond::sampler
