// SPDX-License-Identifier: Apache-2.0
#include "plan/copied_pages.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "base/clock.h"
#include "text/numbers.h"

namespace compmond::plan {
namespace {

constexpr uint64_t kPageBytes = 4096;
constexpr uint64_t kOwnPages = 2;  // in which the kernel executes instructions elsewhere, its table
constexpr uint64_t kMostOfRoom = 2;   // one part of so many of a group's room may be taken
constexpr uint64_t kMuchOfRoom = 10;  // and so much is told

constexpr uint64_t kBetweenLooksNs = 100'000'000;  // processes may come by the thousand

using Pages = std::set<std::pair<int, uint64_t>>;  // image, page in the file

Pages pages_of(int image, const Way& way) {
  Pages out;
  if (way.refused || way.sampled()) return out;
  out.emplace(image, way.entry_offset / kPageBytes);
  for (const ExitPlace& exit : way.exits) out.emplace(image, exit.offset / kPageBytes);
  return out;
}

// How many pages each process may get, and which group says so.
uint64_t allowed_pages(const CopiedPages::Share& share) {
  return share.group.room / kMostOfRoom / share.processes / kPageBytes;
}

}  // namespace

MemoryGroups CopiedPages::groups_of(pid_t pid) {
  MemoryGroups out = memory_groups_of(std::to_string(pid));
  if (!out.known && !std::exchange(unseen_, true))
    tell_(
        fmt::format("the memory limit of process {} is not to be seen from here: whether the pages "
                    "of code that probes copy fit is not known",
                    pid));
  return out;
}

void CopiedPages::fit(const target::ObservedProcesses& processes) {
  std::map<std::string, Share> shares;
  for (const target::ObservedProcess& process : processes.all()) {
    if (!process.alive) continue;
    for (MemoryGroup& group : groups_of(process.pid).limited) {
      Share& share = shares[group.folder];
      share.group = std::move(group);
      ++share.processes;
    }
  }
  std::vector<Share> all;
  for (auto& [folder, share] : shares) all.push_back(std::move(share));
  fit(all);
}

void CopiedPages::fit(const std::vector<Share>& shares) {
  const Share* narrowest = nullptr;
  for (const Share& share : shares)
    if (!narrowest || allowed_pages(share) < allowed_pages(*narrowest)) narrowest = &share;
  Pages pages;
  for (const PlannedTransfer& transfer : plan_.transfers)
    for (const Way& way : transfer.ways) pages.merge(pages_of(transfer.image, way));
  const uint64_t allowed = narrowest ? allowed_pages(*narrowest) : UINT64_MAX;
  const std::string room = narrowest
                               ? fmt::format("memory group '{}' has {} left", narrowest->group.name,
                                             text::bytes(narrowest->group.room))
                               : "";
  uint64_t left_out = 0;
  for (size_t i = 0; i < states_.size(); ++i) {
    bool moved = false;
    while (!states_[i].refused()) {
      Pages more = pages_of(plan_.operations[i].image, way_of(plan_, states_, i));
      const bool probed = !more.empty();
      std::erase_if(more, [&](const auto& page) { return pages.contains(page); });
      if (!probed || pages.size() + more.size() + kOwnPages <= allowed) {
        pages.merge(more);
        break;
      }
      moved = true;
      states_.fall_through(
          plan_, i, "its probes would copy pages of code, for which there is no room: " + room);
    }
    left_out += moved;
  }
  pages_ = pages.empty() ? 0 : pages.size() + kOwnPages;
  const uint64_t taken = narrowest ? pages_ * kPageBytes * narrowest->processes : 0;
  if (left_out > 0)
    tell_(fmt::format(
        "{} would not fit: probes copy pages of code into each process, and {}; fewer operations, "
        "or a higher limit, observe all of them exactly",
        text::counted(left_out, "operation"), room));
  else if (narrowest && taken > narrowest->group.room / kMuchOfRoom)
    tell_(fmt::format("probes copy pages of code, {} in {}, and {}", text::bytes(taken),
                      text::counted(narrowest->processes, "process", "processes"), room));
}

void CopiedPages::meet(pid_t pid) {
  const uint64_t now = monotonic_ns();
  if (pages_ == 0 || tight_ || now < next_look_ns_) return;
  next_look_ns_ = now + kBetweenLooksNs;
  const uint64_t copied = pages_ * kPageBytes;
  for (const MemoryGroup& group : groups_of(pid).limited) {
    if (group.room > copied) continue;
    tight_ = true;
    tell_(
        fmt::format("process {} came while observing, and memory group '{}' has {} left: a process "
                    "that begins the program anew takes {} of it, as probes copy pages of code; "
                    "fewer operations take less",
                    pid, group.name, text::bytes(group.room), text::bytes(copied)));
    return;
  }
}

}  // namespace compmond::plan
