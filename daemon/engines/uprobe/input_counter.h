// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "engine/inputs.h"
#include "uprobe/input_price.h"

struct bpf_program;
struct bpf_map;
struct bpf_link;

namespace compmond::uprobe {

// Counts inputs while it is on, and makes records of those in slices: at the end of every call of
// the system, which all processes of the machine pay for. Where something is received costs far
// less: once the targets were seen to read from sockets and nearly nothing else, only that is
// counted, and what they read elsewhere is not; once they read mostly from sockets, that is counted
// while the rest is off, too. Whether it still is so is looked at again and again. One thread.
class InputCounter final : public engine::InputCounting {
 public:
  struct Parts {  // of loaded programs, which must outlive it
    bpf_program* calls = nullptr;
    bpf_program* receives = nullptr;  // null: this kernel does not tell them
    bpf_map* counts = nullptr;
    volatile uint32_t& counting;  // the number that they have of each time that counting begins
    volatile uint32_t& sockets_alone;
    volatile uint32_t& measuring;
    uint64_t (*clock)();  // ns
  };
  // On. Takes some ms, rarely 50. Exit::kUnavailable where the kernel refuses.
  static Result<std::unique_ptr<InputCounter>> open(Parts parts);
  // Linux 6.3 and later.
  static bool kernel_tells_receives();
  ~InputCounter() override;
  InputCounter(const InputCounter&) = delete;
  InputCounter& operator=(const InputCounter&) = delete;

  Result<void> on() override;
  void off() override;
  void spare_receives() override;
  bool would_change() const override;
  engine::Inputs read() const override;

  // Inputs that are looked at before it is decided, or those of some time, ns, if there are fewer,
  // which never show that receives suffice; which part of them may come from elsewhere, so that
  // receives do, and so that they help; and for how long that is taken to stay so, ns.
  static constexpr uint64_t kEnough = 3000;
  static constexpr uint64_t kLongest = 2'000'000'000;
  static constexpr double kElsewhere = 0.002, kMostElsewhere = 0.5;
  static constexpr uint64_t kStays = 20'000'000'000;

 private:
  enum class How : uint8_t {
    kCalls,
    kBoth,      // by calls; receives are counted as well, also while it is off
    kReceives,  // by these alone
  };
  struct Seen {
    uint64_t inputs = 0, received = 0, ns = 0;
    bool enough() const { return inputs >= kEnough || (inputs > 0 && ns >= kLongest); }
    How best() const;
  };
  explicit InputCounter(Parts parts) : parts_(parts) {}
  void end();
  How next() const;
  Result<void> attach(bpf_program* program, bpf_link*& link, const char* name, InputPrice& price);
  void begin_receiving();
  void end_receiving();
  Seen seen() const;                     // so far
  Seen looked() const;                   // since it was decided last, while both were looked at
  bool is_time(const Seen& seen) const;  // to decide anew
  void judge();

  Parts parts_;
  bpf_link *calls_ = nullptr, *receives_ = nullptr;
  How how_ = How::kCalls;
  bool on_ = false;
  uint32_t receiving_ = 0;  // times that it began
  Seen before_, looked_;    // as of on(); before it, since it was decided last
  How best_ = How::kBoth;   // as it was decided
  uint64_t judged_ns_ = 0;  // when it was; 0: never
  InputPrice call_{call_ns}, others_{receive_ns}, beside_{receive_ns}, alone_{receive_ns};
};

}  // namespace compmond::uprobe
