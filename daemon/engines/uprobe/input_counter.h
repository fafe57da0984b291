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

// Counts inputs while it is on, and makes records of those in slices. One thread.
class InputCounter final : public engine::InputCounting {
 public:
  // On. Of loaded programs, which must outlive it, as must the number that they have of each time
  // that counting begins. Takes some ms, rarely 50, in which it measures what it costs; each time
  // that it is switched on it measures again. Exit::kUnavailable where the kernel refuses.
  static Result<std::unique_ptr<InputCounter>> open(bpf_program* program, bpf_map* counts,
                                                    volatile uint32_t& counting);
  ~InputCounter() override;
  InputCounter(const InputCounter&) = delete;
  InputCounter& operator=(const InputCounter&) = delete;

  Result<void> on() override;
  void off() override;
  engine::Inputs read() const override;

 private:
  InputCounter(bpf_program* program, bpf_map* counts, volatile uint32_t& counting);
  bpf_program* program_;
  bpf_map* counts_;
  volatile uint32_t& counting_;
  bpf_link* link_ = nullptr;
  // Of a call of the system, while it is off and on: the least that was measured so far.
  double without_ns_ = std::numeric_limits<double>::max(), with_ns_ = without_ns_;
};

}  // namespace compmond::uprobe
