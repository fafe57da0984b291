// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "later/image_reader.h"
#include "plan/plan.h"
#include "plan/states.h"
#include "sampling/sample.h"

namespace compmond::later {

// Looks whether files that targets load later make ways unsafe that were chosen without them
// (plan::Way::trusts_images), and has operations go on by others. One thread.
class RiskWatch {
 public:
  using Tell = std::function<void(std::string)>;  // what a reader of the figures should know
  // None where no way trusts images. `plan` is borrowed. Otherwise as ImageReader::start.
  static Result<std::optional<RiskWatch>> open(const plan::Plan& plan, ImageReader::RiskOf risk_of);

  // A process maps it, and it was not there when the plan was made.
  void meet(const sampling::Image& image);
  // Operations whose probes have to go, or to be placed anew, by `states`, in which it is said.
  std::vector<size_t> look(uint64_t now_ns, plan::OperationStates& states, const Tell& tell);

 private:
  RiskWatch(const plan::Plan& plan, ImageReader reader)
      : plan_(&plan), reader_(std::move(reader)) {}
  std::vector<size_t> act_on(const ImageReader::Read& read, uint64_t now_ns,
                             plan::OperationStates& states, const Tell& tell) const;

  const plan::Plan* plan_;
  ImageReader reader_;
};

}  // namespace compmond::later
