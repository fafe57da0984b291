// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "engine/placed.h"
#include "plan/cost.h"
#include "plan/plan.h"
#include "plan/states.h"
#include "uprobe/attach_kind.h"

namespace compmond::uprobe {

// The links of one scope. Detaches when destroyed, many links at the same time; the kernel restores
// the original bytes.
class Attachment final : public engine::Placed {
 public:
  // Attaches those of `operations` (indices in the plan), by their ways in use, that live in
  // scope.image, exits before
  // entries so that no call is seen half, or entries alone; `costs` is what the kernel's guard goes
  // by. What the kernel refuses is found by bisecting and listed; the rest is attached. Errors as
  // of engine::Capture::place.
  static Result<std::unique_ptr<Attachment>> attach(
      const plan::Plan& plan, const plan::OperationStates& states, engine::Scope scope,
      AttachKind kind, const ProbePrograms& programs, const plan::Costs& costs,
      std::span<const size_t> operations, plan::See see);
  // Watches these transfers of control (indices in the plan's), which live in scope.image. What the
  // kernel refuses is left out.
  static Result<std::unique_ptr<Attachment>> watch(const plan::Plan& plan, engine::Scope scope,
                                                   AttachKind kind, const ProbePrograms& programs,
                                                   std::span<const size_t> transfers);
  ~Attachment() override;
  size_t steps() const override { return links_.size(); }
  void take_away(const std::function<void()>& step_done) override;

 private:
  using Placed::Placed;
  friend class Attacher;
  std::vector<Fd> links_;
};

}  // namespace compmond::uprobe
