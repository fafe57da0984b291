// SPDX-License-Identifier: Apache-2.0
#include "plan/later_copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/clock.h"
#include "core/memory_groups.h"
#include "target/proc_folder.h"
#include "text/numbers.h"

namespace compmond::plan {
namespace {

constexpr uint64_t kMostOwed = 2;  // one part of so many of a group's room may be owed
constexpr uint64_t kBetweenLooksNs = 100'000'000;  // processes may come by the thousand
constexpr uint64_t kRestAfterLook = 50;            // as long as the look took, so many times

}  // namespace

void LaterCopies::meet(pid_t pid) {
  const auto stat = target::read_stat(fmt::format("/proc/{}", pid));
  if (!stat) return;
  if (stat->began_by_fork()) {
    forked_.insert(pid);
    more_ = true;
  }
  const uint64_t now = monotonic_ns(), copied = copied_.bytes_each();
  if (copied == 0 || tight_ || now < next_meeting_ns_) return;
  next_meeting_ns_ = now + kBetweenLooksNs;
  MemoryGroupsNow groups;
  for (const MemoryGroup& group : copied_.groups_of(pid, groups)) {
    if (group.room > copied) continue;
    tight_ = true;
    return tell_(fmt::format(
        "process {} came while observing, and {}: a process that begins the program anew "
        "takes {} of it, as probes copy pages of code; fewer operations take less",
        pid, room_in(group), text::bytes(copied)));
  }
}

std::optional<LaterCopies::Excess> LaterCopies::look(const target::ObservedProcesses& processes) {
  const uint64_t begin = monotonic_ns();
  if (!more_ || begin < next_look_ns_) return {};
  more_ = false;
  std::set<pid_t> alive;
  for (const target::ObservedProcess& process : processes.all())
    if (process.alive && forked_.contains(process.pid)) alive.insert(process.pid);
  forked_ = std::move(alive);
  std::map<std::string, CopiedPages::Share> owing;
  MemoryGroupsNow groups;
  for (const pid_t pid : forked_) {
    for (MemoryGroup& group : copied_.groups_of(pid, groups)) {
      CopiedPages::Share& share = owing[group.folder];
      share.group = std::move(group);
      ++share.processes;
    }
  }
  std::vector<CopiedPages::Share> shares;
  for (auto& [folder, share] : owing) shares.push_back(std::move(share));
  const uint64_t end = monotonic_ns();
  next_look_ns_ = end + std::max(kBetweenLooksNs, kRestAfterLook * (end - begin));
  return look(shares);
}

std::optional<LaterCopies::Excess> LaterCopies::look(const std::vector<CopiedPages::Share>& owing) {
  const uint64_t each = copied_.bytes_each();
  const auto part = [&](const CopiedPages::Share& share) {
    return double(each * share.processes) / double(share.group.room + 1);
  };
  const auto tightest = std::ranges::max_element(owing, {}, part);
  if (tightest == owing.end() || part(*tightest) <= 1.0 / kMostOwed) return {};
  const std::string forked = fmt::format(
      "{} that the program forked share pages of code that probes copied, and each "
      "copies its own when the probes go: {}, and {}",
      text::counted(tightest->processes, "process", "processes"),
      text::bytes(each * tightest->processes), room_in(tightest->group));
  if (part(*tightest) > 1) {
    if (!std::exchange(too_late_, true))
      tell_(forked + "; raise its limit, or end some of them, before compmond ends");
    return {};
  }
  // What is taken away takes up to that much: of what is left as much may be owed again.
  const uint64_t room_then = tightest->group.room / kMostOwed;
  Excess out{copied_.drop_beyond(room_then / kMostOwed / tightest->processes), forked};
  if (out.operations.empty()) return {};
  tell_(
      fmt::format("{}; {} not observed any more. Fewer operations, or a higher limit, "
                  "observe all of them",
                  forked, text::counted(out.operations.size(), "operation is", "operations are")));
  return out;
}

}  // namespace compmond::plan
