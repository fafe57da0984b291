// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "engine/inputs.h"

struct bpf_program;
struct bpf_map;
struct bpf_link;

namespace compmond::uprobe {

// Counts inputs while it exists, and makes records of those in slices. One thread.
class InputCounter final : public engine::InputCounting {
 public:
  // Of loaded programs, which must outlive it. Takes some ms, in which it measures what it costs.
  // Exit::kUnavailable where the kernel refuses.
  static Result<std::unique_ptr<InputCounter>> open(bpf_program* program, bpf_map* counts);
  ~InputCounter() override;
  InputCounter(const InputCounter&) = delete;
  InputCounter& operator=(const InputCounter&) = delete;

  engine::Inputs read() const override;

 private:
  InputCounter(bpf_program* program, bpf_map* counts, bpf_link* link, double call_ns);
  bpf_program* program_;
  bpf_map* counts_;
  bpf_link* link_;
  double call_ns_;
};

}  // namespace compmond::uprobe
