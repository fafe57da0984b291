// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/fd.h"
#include "sampling/record.h"
#include "sampling/sample.h"

namespace compmond::sampling {

// A sample as the kernel told it. Borrowed: the stack's bytes are a target's secrets, which stay in
// the buffer that they came in and in whoever unwinds them.
struct RawSample {
  const cm_sample* head = nullptr;
  std::span<const std::byte> stack;  // from the stack pointer on
  std::span<const cm_return> returns;
};

// Memory of a process that holds code.
struct Mapping {
  uint64_t start = 0, end = 0;
  uint64_t offset = 0;  // in the file, of `start`
  ImageNumber image = kNoImage;
};

struct Walked {
  Ended ended = Ended::kBroken;
  std::vector<Frame> frames;        // innermost first
  std::vector<Function> functions;  // around frames, that are met for the first time
  // Where complete: the address behind the thread's first frame, above which nothing is needed to
  // unwind it again; else 0.
  uint64_t stack_top = 0;
};

// Finds out who called whom in copied stacks. Is told of processes and their memory in the order in
// which that happened, then asked. Keeps nothing of a stack afterwards. One thread.
class Unwinder {
 public:
  virtual ~Unwinder() = default;
  // `file` may be empty: frames in it end a stack as broken.
  virtual void add(const Image& image, const Fd& file) = 0;
  // What the process says of code that belongs to no file: its perf map, which may grow. Frames
  // that it names are in `image` then. Replaces what was told before; an empty one says nothing.
  virtual void name_code(uint32_t pid, ImageNumber image, const Fd& perf_map) = 0;
  // Replaces what was there before.
  virtual void map(uint32_t pid, const Mapping& mapping) = 0;
  virtual void fork(uint32_t parent, uint32_t child) = 0;  // the child's memory is as its parent's
  virtual void forget(uint32_t pid) = 0;                   // it executes another program, or ended
  // Calls `take` for each, in order. What it cannot unwind is broken, with its first frame.
  virtual void walk(std::span<const RawSample> samples,
                    const std::function<void(size_t index, const Walked& walked)>& take) = 0;
};

}  // namespace compmond::sampling
