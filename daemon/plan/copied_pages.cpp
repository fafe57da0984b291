// SPDX-License-Identifier: Apache-2.0
#include "plan/copied_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "text/numbers.h"

namespace compmond::plan {
namespace {

constexpr uint64_t kPageBytes = 4096;
constexpr uint64_t kMostOfRoom = 2;   // one part of so many of a group's room may be taken
constexpr uint64_t kMuchOfRoom = 10;  // and so much is told

// Those in which the kernel executes instructions elsewhere, and their table.
constexpr uint64_t kOwnPages = 2;

std::set<std::pair<int, uint64_t>> pages_of(int image, const Way& way) {
  std::set<std::pair<int, uint64_t>> out;
  if (way.refused || way.sampled()) return out;
  out.emplace(image, way.entry_offset / kPageBytes);
  for (const ExitPlace& exit : way.exits) out.emplace(image, exit.offset / kPageBytes);
  return out;
}

std::string processes_in(const CopiedPages::Share& share) {
  return text::counted(share.processes + share.strangers, "process", "processes");
}

std::string no_room_in(const MemoryGroup& group) {
  return "its probes would copy pages of code, for which there is no room: " + room_in(group);
}

}  // namespace

std::string room_in(const MemoryGroup& group) {
  return fmt::format("{} has {} left", group.text(), text::bytes(group.room));
}

uint64_t CopiedPages::Copies::bytes_in(const Share& share) const {
  return (observed * share.processes + stranger * share.strangers) * kPageBytes;
}

// Of whose room they take most; null where none is limited.
const CopiedPages::Share* CopiedPages::tightest_of(const std::vector<Share>& shares,
                                                   Copies copies) {
  const auto part = [&](const Share& share) {
    return double(copies.bytes_in(share)) / double(share.group.room + 1);
  };
  const auto out = std::ranges::max_element(shares, {}, part);
  return out == shares.end() ? nullptr : &*out;
}

// Null where they fit.
const CopiedPages::Share* CopiedPages::lacking_in(const std::vector<Share>& shares, Copies copies) {
  const Share* const out = tightest_of(shares, copies);
  return out && copies.bytes_in(*out) > out->group.room / kMostOfRoom ? out : nullptr;
}

CopiedPages::Copies CopiedPages::copies_of(const Pages& pages) const {
  const auto of_program = [this](const auto& page) { return plan_.images[page.first].main; };
  return {pages.size(), uint64_t(std::ranges::count_if(pages, of_program))};
}

CopiedPages::Copies CopiedPages::with_the_kernels_own(Copies copies) {
  if (copies.observed > 0) copies.observed += kOwnPages;
  if (copies.stranger > 0) copies.stranger += kOwnPages;
  return copies;
}

CopiedPages::Pages CopiedPages::pages_of(std::span<const size_t> operations) const {
  Pages out;
  for (const size_t i : operations)
    out.merge(plan::pages_of(plan_.operations[i].image, way_of(plan_, states_, i)));
  return out;
}

CopiedPages::Pages CopiedPages::pages_of_transfers() const {
  Pages out;
  for (const PlannedTransfer& transfer : plan_.transfers)
    for (const Way& way : transfer.ways) out.merge(plan::pages_of(transfer.image, way));
  return out;
}

std::vector<MemoryGroup> CopiedPages::groups_of(pid_t pid, MemoryGroupsNow& now) {
  const MemoryGroups* const groups = now.of(std::to_string(pid));
  if (!groups) return {};
  if (!groups->known && !std::exchange(unseen_, true))
    tell_(
        fmt::format("the memory limit of process {} is not to be seen from here: whether the pages "
                    "of code that probes copy fit is not known",
                    pid));
  std::vector<MemoryGroup> out = groups->limited;
  if (now.machine()) out.push_back(*now.machine());
  return out;
}

std::vector<CopiedPages::Share> CopiedPages::shares_of(const Into& into) {
  std::map<std::string, Share> shares;
  MemoryGroupsNow now;
  const auto add = [&](pid_t pid, uint64_t Share::*count) {
    for (MemoryGroup& group : groups_of(pid, now)) {
      Share& share = shares[group.folder];
      share.group = std::move(group);
      ++(share.*count);
    }
  };
  for (const target::ObservedProcess& process : into.processes.all())
    if (process.alive) add(process.pid, &Share::processes);
  for (const pid_t stranger : into.strangers) add(stranger, &Share::strangers);
  std::vector<Share> out;
  for (auto& [folder, share] : shares) out.push_back(std::move(share));
  return out;
}

void CopiedPages::fit(const Into& into) { fit(shares_of(into)); }

void CopiedPages::fit(const std::vector<Share>& shares) {
  pages_ = pages_of_transfers();
  Copies copies = copies_of(pages_);
  const Share* lacking = nullptr;  // the last one that was
  uint64_t left_out = 0;
  for (size_t i = 0; i < states_.size(); ++i) {
    bool moved = false;
    while (!states_[i].refused()) {
      const size_t one[] = {i};
      Pages more = pages_of(one);
      const bool probed = !more.empty();
      std::erase_if(more, [&](const auto& page) { return pages_.contains(page); });
      const Copies its = copies_of(more);
      const Copies all{copies.observed + its.observed, copies.stranger + its.stranger};
      const Share* const lacks = probed ? lacking_in(shares, with_the_kernels_own(all)) : nullptr;
      if (!lacks) {
        pages_.merge(more);
        copies = all;
        break;
      }
      lacking = lacks;
      moved = true;
      states_.fall_through(plan_, i, no_room_in(lacks->group));
    }
    left_out += moved;
  }
  if (lacking)
    return tell_(fmt::format(
        "{} would not fit: probes copy pages of code into each process, and {}; fewer operations, "
        "or a higher limit, observe all of them exactly",
        text::counted(left_out, "operation"), room_in(lacking->group)));
  copies = with_the_kernels_own(copies);
  const Share* const tightest = tightest_of(shares, copies);
  if (tightest && copies.bytes_in(*tightest) > tightest->group.room / kMuchOfRoom)
    tell_(fmt::format("probes copy pages of code, {} in {}, and {}",
                      text::bytes(copies.bytes_in(*tightest)), processes_in(*tightest),
                      room_in(tightest->group)));
}

uint64_t CopiedPages::bytes_each() const {
  return with_the_kernels_own(copies_of(pages_)).observed * kPageBytes;
}

std::vector<size_t> CopiedPages::drop_beyond(uint64_t bytes_each) {
  std::vector<size_t> out;
  pages_ = pages_of_transfers();
  for (size_t i = 0; i < states_.size(); ++i) {
    const size_t one[] = {i};
    Pages with = states_[i].refused() ? Pages{} : pages_of(one);
    if (with.empty()) continue;
    with.insert(pages_.begin(), pages_.end());
    if (with_the_kernels_own(copies_of(with)).observed * kPageBytes > bytes_each)
      out.push_back(i);
    else
      pages_ = std::move(with);
  }
  return out;
}

bool CopiedPages::fit_again(std::span<const size_t> operations, const Into& into) {
  return fit_again(operations, shares_of(into));
}

bool CopiedPages::fit_again(std::span<const size_t> operations, const std::vector<Share>& shares) {
  const Copies copies = copies_of(pages_of(operations));
  const Share* const lacking = lacking_in(shares, copies);
  if (!lacking) return true;
  if (!std::exchange(stays_away_, true))
    tell_(fmt::format(
        "probes that were away stay away for now: they would copy pages of code, {} in {}, and {}; "
        "they are tried again later",
        text::bytes(copies.bytes_in(*lacking)), processes_in(*lacking), room_in(lacking->group)));
  return false;
}

std::string CopiedPages::lacking_for(std::span<const size_t> operations, const Into& into) {
  return lacking_for(operations, shares_of(into));
}

std::string CopiedPages::lacking_for(std::span<const size_t> operations,
                                     const std::vector<Share>& shares) {
  Pages more = pages_of(operations);
  std::erase_if(more, [&](const auto& page) { return pages_.contains(page); });
  if (const Share* lacking = lacking_in(shares, copies_of(more))) return no_room_in(lacking->group);
  pages_.merge(more);
  return "";
}

}  // namespace compmond::plan
