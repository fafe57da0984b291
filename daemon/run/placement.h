// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <future>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "plan/plan.h"
#include "run/notes.h"
#include "target/observed.h"
#include "uprobe/attach.h"
#include "uprobe/kernel.h"

namespace compmond::run {

// Which probes hang where. An image is attached once for all processes, unless strangers map it
// too: then process by process, since their calls would hit probes that are not for them. The
// probes of operations that are marked `alone` hang by themselves. One thread.
class Placement {
 public:
  // All borrowed. What the kernel refuses is marked so in the plan.
  Placement(plan::Plan& plan, const uprobe::Kernel& kernel,
            const target::ObservedProcesses& processes, Notes& notes)
      : plan_(plan), kernel_(kernel), processes_(processes), notes_(notes) {}

  // How the main program is attached.
  enum class Program {
    kAsOthers,      // once for all, unless strangers run it
    kServer,        // once for all: it works in children, whose first call must hit; said in a note
    kAllProcesses,  // once for all, as asked for
  };
  // Hangs all probes of the plan that are neither refused nor paused. The first time looks who maps
  // the images, which takes the right to look at all processes; it holds for later times.
  Result<void> place(Program program);
  // Hangs the probes of images that strangers map into a process that came later, and notes it.
  void place_in_newcomer(pid_t pid);
  // Takes the probes of these operations, which are alone, away while all others stay; returns when
  // no handler of them runs any more.
  void take_away(std::span<const size_t> operations);
  // Hangs the probes of these operations, which are alone and no longer paused, beside the others.
  Result<void> bring_back(std::span<const size_t> operations);
  // Takes the probes of ended processes away, on a thread of its own.
  void let_go_of_ended();
  // Takes everything away; returns when no handler runs any more.
  void remove();

 private:
  struct Hung {
    uprobe::Attachment attachment;
    std::optional<size_t> alone;  // the operation whose probes these are; none: of all others
  };
  bool mapped_by_strangers(const plan::PlannedImage& image) const;
  // All of the image's that are to be observed.
  Result<void> attach(uprobe::Scope scope);
  Result<void> attach(uprobe::Scope scope, std::span<const size_t> operations,
                      std::optional<size_t> alone);
  std::vector<uprobe::Scope> scopes_of(int image) const;

  plan::Plan& plan_;
  const uprobe::Kernel& kernel_;
  const target::ObservedProcesses& processes_;
  Notes& notes_;
  std::vector<Hung> hung_;
  std::optional<std::vector<bool>> strangers_;  // map an image of the plan; asked once
  std::vector<int> per_process_images_;
  std::future<void> detaching_;  // probes of ended processes
};

}  // namespace compmond::run
