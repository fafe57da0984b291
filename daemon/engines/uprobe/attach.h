// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/attach_kind.h"
#include "base/fd.h"
#include "base/result.h"
#include "plan/plan.h"

namespace compmond::uprobe {

// What to attach where. `pid` 0: every process that maps the image (the programs themselves count
// only targets); else that process alone.
struct Scope {
  int image = 0;  // index in the plan's images
  pid_t pid = 0;
};

// The links of one scope. Detaches when destroyed; the kernel restores the original bytes.
class Attachment {
 public:
  struct Refusal {
    size_t operation = 0;  // index in the plan
    std::string reason;
  };

  // Attaches those of `operations` (indices in the plan) that live in scope.image and are neither
  // refused nor paused, exits before entries so that no call is seen half. What the kernel refuses
  // is found by bisecting and listed; the rest is attached. Exit::kNoPermission, Exit::kUnavailable
  // (no descriptor or memory left), Exit::kNoInput (the process is gone).
  static Result<Attachment> attach(const plan::Plan& plan, Scope scope, AttachKind kind,
                                   const ProbePrograms& programs,
                                   std::span<const size_t> operations);

  Attachment(Attachment&&) = default;
  ~Attachment();

  // Detaches all of them, which takes hardly longer than detaching one.
  static void detach(std::vector<Attachment> attachments);

  const std::vector<Refusal>& refused() const { return refused_; }
  size_t links() const { return links_.size(); }
  Scope scope() const { return scope_; }

 private:
  Attachment() = default;
  friend class Attacher;
  Scope scope_;
  std::vector<Fd> links_;
  std::vector<Refusal> refused_;
};

}  // namespace compmond::uprobe
