// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "code/scan.h"
#include "plan/planner.h"

namespace compmond::sampler {

constexpr const char* kEngine = "sampling";

// Where a function's code lies: what it takes to know it on a stack. Nothing that a probe could not
// bear is refused here.
class Planner : public plan::Planner {
 public:
  explicit Planner(const std::vector<plan::Candidate>& candidates)
      : candidates_(candidates), scanners_(candidates.size()) {}
  std::vector<plan::Way> plan(const plan::Wanted& wanted) override;

 private:
  code::CodeScanner& scanner(size_t image);

  const std::vector<plan::Candidate>& candidates_;
  std::vector<std::unique_ptr<code::CodeScanner>> scanners_;
};

}  // namespace compmond::sampler
