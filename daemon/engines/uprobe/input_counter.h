// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "base/result.h"
#include "engine/inputs.h"

struct bpf_program;
struct bpf_map;
struct bpf_link;

namespace compmond::uprobe {

// Counts inputs while it is on, and makes records of those in slices: at the end of every call of
// the system, which all processes of the machine pay for, or, once the targets were seen to read
// from sockets and nearly nothing else, where something is received. What they read elsewhere is
// not counted then; whether that is still nearly nothing is looked at again and again. One thread.
class InputCounter final : public engine::InputCounting {
 public:
  struct Parts {  // of loaded programs, which must outlive it
    bpf_program* calls = nullptr;
    bpf_program* receives = nullptr;  // null: this kernel does not tell them
    bpf_map* counts = nullptr;
    volatile uint32_t& counting;  // the number that they have of each time that counting begins
    volatile uint32_t& sockets_alone;
    uint64_t (*clock)();  // ns
  };
  // On. Takes some ms, rarely 50, in which it measures what it costs: so it does the first times
  // that it is switched on in another way. Exit::kUnavailable where the kernel refuses.
  static Result<std::unique_ptr<InputCounter>> open(Parts parts);
  // Linux 6.3 and later.
  static bool kernel_tells_receives();
  ~InputCounter() override;
  InputCounter(const InputCounter&) = delete;
  InputCounter& operator=(const InputCounter&) = delete;

  Result<void> on() override;
  void off() override;
  bool would_change() const override;
  engine::Inputs read() const override;

  // Inputs that are looked at before it is decided, which part of them may come from elsewhere, and
  // for how long that is taken to stay so, ns.
  static constexpr uint64_t kEnough = 1000;
  static constexpr double kElsewhere = 0.002;
  static constexpr uint64_t kStays = 20'000'000'000;

 private:
  enum class How : uint8_t {
    kCalls,
    kBoth,      // by calls; it is looked how many are receives
    kReceives,  // by these alone
  };
  // A call, while nobody looks at it and while somebody does, ns: the least that was measured so
  // far.
  struct Timing {
    double without = std::numeric_limits<double>::max(), with = without;
    int taken = 0;
    double cost() const { return without > with ? 0 : with - without; }
  };
  struct Seen {
    uint64_t inputs = 0, sockets = 0;
  };
  explicit InputCounter(Parts parts) : parts_(parts) {}
  How next() const;
  Result<void> attach(bpf_program* program, bpf_link*& link, const char* name);
  Seen seen() const;  // of all times in which it was looked
  void judge();

  Parts parts_;
  bpf_link *calls_ = nullptr, *receives_ = nullptr;
  How how_ = How::kCalls;
  bool on_ = false;
  Seen before_, looked_;    // as of on() or the last look; since it was decided last
  uint64_t judged_ns_ = 0;  // when it was decided; 0: never
  bool sockets_suffice_ = false;
  Timing call_, receive_;
};

}  // namespace compmond::uprobe
