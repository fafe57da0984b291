// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/memory_groups.h"
#include "plan/plan.h"
#include "plan/states.h"
#include "target/observed.h"

namespace compmond::plan {

// "memory group '/a' has 3.0 MiB left".
std::string room_in(const MemoryGroup& group);

// Each page of code with a probe is copied into each process, and charged to its memory control
// group: a program near its limit, or the machine's, would be killed for want of memory. Asked
// before probes are placed. One thread.
class CopiedPages {
 public:
  using Tell = std::function<void(std::string)>;  // what a reader of the figures should know
  // Plan and states are borrowed.
  CopiedPages(const Plan& plan, OperationStates& states, Tell tell)
      : plan_(plan), states_(states), tell_(std::move(tell)) {}

  // Into whom: the observed processes that live, and strangers that run the same program, where it
  // is attached for all that do: they get its pages, those of libraries they do not.
  struct Into {
    const target::ObservedProcesses& processes;
    std::span<const pid_t> strangers;
  };
  // Operations whose pages would take more than half of the room that the machine, or a group of
  // these processes, has left are observed in the next way, without probes, or refused; a note says
  // so, and where what stays is much.
  void fit(const Into& into);
  // Whether probes of these, which went, may come back: there is room for them as in fit, as of
  // now. Where there is not a note says so.
  bool fit_again(std::span<const size_t> operations, const Into& into);

  // Operations get their probes elsewhere than before: why the pages that these copy in addition
  // have no room, as in fit; empty where they have.
  std::string lacking_for(std::span<const size_t> operations, const Into& into);

  // One group, or the machine, and how many processes it has to serve.
  struct Share {
    MemoryGroup group;
    uint64_t processes = 0, strangers = 0;
  };
  // As above, of processes in these groups.
  void fit(const std::vector<Share>& shares);
  bool fit_again(std::span<const size_t> operations, const std::vector<Share>& shares);
  std::string lacking_for(std::span<const size_t> operations, const std::vector<Share>& shares);

  // The limited groups around a process, and the machine; none where it is gone. Where they are not
  // to be seen, a note says so.
  std::vector<MemoryGroup> groups_of(pid_t pid, MemoryGroupsNow& now);
  // What is copied into an observed process.
  uint64_t bytes_each() const;
  // Operations whose pages go beyond so many bytes, in the order of the plan: they are not copied
  // any more, as their probes are to go.
  std::vector<size_t> drop_beyond(uint64_t bytes_each);

 private:
  using Pages = std::set<std::pair<int, uint64_t>>;  // image, page in its file
  // How many each process gets.
  struct Copies {
    uint64_t observed = 0, stranger = 0;
    uint64_t bytes_in(const Share& share) const;
  };
  std::vector<Share> shares_of(const Into& into);
  Pages pages_of(std::span<const size_t> operations) const;
  Pages pages_of_transfers() const;
  Copies copies_of(const Pages& pages) const;
  static Copies with_the_kernels_own(Copies copies);
  static const Share* tightest_of(const std::vector<Share>& shares, Copies copies);
  static const Share* lacking_in(const std::vector<Share>& shares, Copies copies);

  const Plan& plan_;
  OperationStates& states_;
  Tell tell_;
  Pages pages_;
  bool unseen_ = false, stays_away_ = false;  // said already
};

}  // namespace compmond::plan
