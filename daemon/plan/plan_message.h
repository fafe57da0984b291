// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "plan/plan.h"
#include "spec/model.h"

// A plan on its way from the child that read untrusted files.
namespace compmond::plan {

std::string to_message(const Plan& plan);

// What the message must fit to. One file per candidate of make_plan, in the same order.
struct PlanContext {
  const spec::Spec& spec;
  struct File {
    std::string path;
    bool main = false;
    uint64_t size = 0;  // bytes
  };
  std::vector<File> files;
  std::vector<std::string> engines;  // names: each operation has one way of each, in this order
  bool many = false;
};

// Believes nothing: every index, count, offset and enumeration is checked, paths are those of the
// context. Exit::kInternal when it is not a plan.
Result<Plan> plan_from_message(std::string_view message, const PlanContext& context);

}  // namespace compmond::plan
