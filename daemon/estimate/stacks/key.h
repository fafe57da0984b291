// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

namespace compmond::estimate {

// Of what time is summed. "Own": the sample's innermost operation is (of) it. "Within": it is
// anywhere on the sample's stack, counted once.
enum class Kind : uint8_t {
  kOperationOwn,
  kOperationWithin,
  kComponentOwn,  // of the component's own operations
  kComponentWithin,
  kSubtreeOwn,  // of it and of all it contains; only of components that contain others
  kSubtreeWithin,
  kEdge,        // within, from component to another component
  kThread,      // pid, tid
  kProcess,     // pid
  kProcessCpu,  // pid: not from samples but exact
  kElsewhere,   // below no operation; by image of the innermost frame, kAll: all of them
  kInProbe,     // the kernel worked for a probe; kAll: whatever for
};

// A kind with one or two numbers, in one word that sorts by them.
class Key {
 public:
  static constexpr uint32_t kAll = (1u << 30) - 1;      // of kElsewhere: all images
  static constexpr uint32_t kBottom = (1u << 30) - 2;   // as a caller: none, it is the first
  static constexpr uint32_t kUnknown = (1u << 30) - 3;  // as a caller: cut off the stack
  static constexpr uint32_t kOthers = (1u << 30) - 4;   // those that lost their rows (tile.h)

  // Both below 2^30: pids and tids are (PID_MAX_LIMIT is 2^22), indices by limits.h.
  constexpr Key(Kind kind, uint32_t a, uint32_t b = 0)
      : word_(uint64_t(kind) << 60 | uint64_t(a) << 30 | b) {}
  constexpr Kind kind() const { return Kind(word_ >> 60); }
  constexpr uint32_t a() const { return uint32_t(word_ >> 30) & kAll; }
  constexpr uint32_t b() const { return uint32_t(word_) & kAll; }
  constexpr uint64_t word() const { return word_; }
  auto operator<=>(const Key&) const = default;

 private:
  uint64_t word_;
};

// For tables that take the low bits (SplitMix64's finalizer).
struct KeyHash {
  size_t operator()(Key key) const {
    uint64_t x = key.word();
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return size_t(x ^ x >> 31);
  }
};

}  // namespace compmond::estimate
