// SPDX-License-Identifier: Apache-2.0
#include "plan/copied_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/clock.h"
#include "text/numbers.h"

namespace compmond::plan {
namespace {

constexpr uint64_t kPageBytes = 4096;
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

// How many pages each process may get.
uint64_t allowed_pages(const CopiedPages::Share& share) {
  return share.group.room / kMostOfRoom / share.processes / kPageBytes;
}

// Null where none is limited.
const CopiedPages::Share* narrowest_of(const std::vector<CopiedPages::Share>& shares) {
  const auto out = std::ranges::min_element(shares, {}, allowed_pages);
  return out == shares.end() ? nullptr : &*out;
}

std::string room_in(const MemoryGroup& group) {
  return fmt::format("{} has {} left", group.text(), text::bytes(group.room));
}

std::string no_room_in(const MemoryGroup& group) {
  return "its probes would copy pages of code, for which there is no room: " + room_in(group);
}

}  // namespace

std::vector<MemoryGroup> CopiedPages::groups_of(pid_t pid) {
  MemoryGroups out = memory_groups_of(std::to_string(pid));
  if (const auto machine = memory_of_machine()) out.limited.push_back(*machine);
  if (!out.known && !std::exchange(unseen_, true))
    tell_(
        fmt::format("the memory limit of process {} is not to be seen from here: whether the pages "
                    "of code that probes copy fit is not known",
                    pid));
  return std::move(out.limited);
}

std::vector<CopiedPages::Share> CopiedPages::shares_of(const Into& into) {
  std::map<std::string, Share> shares;
  const auto add = [&](pid_t pid) {
    for (MemoryGroup& group : groups_of(pid)) {
      Share& share = shares[group.folder];
      share.group = std::move(group);
      ++share.processes;
    }
  };
  for (const target::ObservedProcess& process : into.processes.all())
    if (process.alive) add(process.pid);
  std::ranges::for_each(into.strangers, add);
  std::vector<Share> out;
  for (auto& [folder, share] : shares) out.push_back(std::move(share));
  return out;
}

void CopiedPages::fit(const Into& into) { fit(shares_of(into)); }

void CopiedPages::fit(const std::vector<Share>& shares) {
  const Share* narrowest = narrowest_of(shares);
  Pages& pages = pages_;
  pages.clear();
  for (const PlannedTransfer& transfer : plan_.transfers)
    for (const Way& way : transfer.ways) pages.merge(pages_of(transfer.image, way));
  const uint64_t allowed = narrowest ? allowed_pages(*narrowest) : UINT64_MAX;
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
      states_.fall_through(plan_, i, no_room_in(narrowest->group));
    }
    left_out += moved;
  }
  const uint64_t taken = narrowest ? copied() * kPageBytes * narrowest->processes : 0;
  if (left_out > 0)
    tell_(fmt::format(
        "{} would not fit: probes copy pages of code into each process, and {}; fewer operations, "
        "or a higher limit, observe all of them exactly",
        text::counted(left_out, "operation"), room_in(narrowest->group)));
  else if (narrowest && taken > narrowest->group.room / kMuchOfRoom)
    tell_(fmt::format("probes copy pages of code, {} in {}, and {}", text::bytes(taken),
                      text::counted(narrowest->processes, "process", "processes"),
                      room_in(narrowest->group)));
}

void CopiedPages::meet(pid_t pid) {
  const uint64_t now = monotonic_ns();
  if (pages_.empty() || tight_ || now < next_look_ns_) return;
  next_look_ns_ = now + kBetweenLooksNs;
  const uint64_t copied = this->copied() * kPageBytes;
  for (const MemoryGroup& group : groups_of(pid)) {
    if (group.room > copied) continue;
    tight_ = true;
    tell_(fmt::format(
        "process {} came while observing, and {}: a process that begins the program anew "
        "takes {} of it, as probes copy pages of code; fewer operations take less",
        pid, room_in(group), text::bytes(copied)));
    return;
  }
}

bool CopiedPages::fit_again(std::span<const size_t> operations, const Into& into) {
  return fit_again(operations, shares_of(into));
}

bool CopiedPages::fit_again(std::span<const size_t> operations, const std::vector<Share>& shares) {
  const Share* narrowest = narrowest_of(shares);
  Pages pages;
  for (const size_t i : operations)
    pages.merge(pages_of(plan_.operations[i].image, way_of(plan_, states_, i)));
  if (!narrowest || pages.size() <= allowed_pages(*narrowest)) return true;
  if (!std::exchange(stays_away_, true))
    tell_(fmt::format(
        "probes that were away stay away for now: they would copy pages of code, {} "
        "in {}, and {}; they are tried again later",
        text::bytes(pages.size() * kPageBytes * narrowest->processes),
        text::counted(narrowest->processes, "process", "processes"), room_in(narrowest->group)));
  return false;
}

std::string CopiedPages::lacking_for(std::span<const size_t> operations, const Into& into) {
  return lacking_for(operations, shares_of(into));
}

std::string CopiedPages::lacking_for(std::span<const size_t> operations,
                                     const std::vector<Share>& shares) {
  const Share* narrowest = narrowest_of(shares);
  Pages more;
  for (const size_t i : operations)
    more.merge(pages_of(plan_.operations[i].image, way_of(plan_, states_, i)));
  std::erase_if(more, [&](const auto& page) { return pages_.contains(page); });
  if (narrowest && more.size() > allowed_pages(*narrowest)) return no_room_in(narrowest->group);
  pages_.merge(more);
  return "";
}

}  // namespace compmond::plan
