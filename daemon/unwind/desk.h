// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"
#include "sampling/unwinder.h"

namespace compmond::unwind {

constexpr uint32_t kPerfMapOf = 1u << 31;  // with a pid: that process's perf map

// Memory that compmond and its confined children share: stacks are laid there to be unwound, and
// the child notes what it is at, for when it never comes back. In no core dump. Move-only.
class Desk {
 public:
  static Result<Desk> make();

  struct Progress {
    std::atomic<uint64_t> steps;    // grows while the child gets on
    std::atomic<uint32_t> image;    // whose content it is reading, kPerfMapOf, or kNoImage
    std::atomic<uint32_t> samples;  // of this request that are done
  };
  Progress& progress() { return memory_->progress; }
  const Progress& progress() const { return memory_->progress; }

  // Lays down as many as there is room for, at least one (a stack that is too long is cut), and
  // says how many.
  size_t lay(std::span<const sampling::RawSample> samples);
  // In the child: the sample at `*at`, which is moved on. Nothing where none can lie there.
  bool take(size_t* at, sampling::RawSample* out) const;
  void wipe(size_t from, size_t to);  // bytes of stacks
  void wipe() { wipe(0, used_); }

 private:
  static constexpr size_t kBytes = 1u << 20;  // some 60 whole stacks, 120 ms of them
  struct Memory {
    Progress progress;
    alignas(16) std::byte bytes[kBytes];
  };
  struct Unmap {
    void operator()(Memory* memory) const;
  };
  explicit Desk(Memory* memory) : memory_(memory) {}
  std::unique_ptr<Memory, Unmap> memory_;
  size_t used_ = 0;
};

}  // namespace compmond::unwind
