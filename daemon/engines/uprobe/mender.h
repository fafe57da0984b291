// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "base/result.h"
#include "guard/channel.h"
#include "plan/plan.h"
#include "uprobe/attach_kind.h"

namespace compmond::uprobe {

// Takes breakpoints away that the kernel leaves in programs where compmond is killed while probes
// come or go: for who has a fatal signal it does neither to the end ("failed to unregister, leaking
// uprobe"). A process of its own waits for that, and then places all probes of the plan once, in
// itself, and removes them, upon which the kernel looks into all processes. Where both are killed
// at such a moment, they stay until the program ends, or is observed again. Move-only.
class Mender {
 public:
  // Before rights are given up, and before any thread. Exit::kUnavailable.
  static Result<Mender> start(const plan::Plan& plan, AttachKind kind,
                              const ProbePrograms& programs);
  Mender(Mender&&) = default;
  Mender& operator=(Mender&&) = delete;
  ~Mender();  // all is well

 private:
  explicit Mender(guard::Child child) : child_(std::move(child)) {}
  guard::Child child_;
};

}  // namespace compmond::uprobe
