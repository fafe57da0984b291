// SPDX-License-Identifier: Apache-2.0
#include "intact/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace compmond::intact {
namespace {

// Why no probe may be placed; none: it may be.
std::string why(Found found, bool own_breakpoint, pid_t pid) {
  switch (found) {
    case Found::kOther:
      return fmt::format(
          "process {} has other code at it in memory than its file has (patched): a "
          "probe there would execute the file's",
          pid);
    case Found::kWritable:
      return fmt::format(
          "process {} has its code mapped for writing, where the kernel places no probe", pid);
    case Found::kShared:
      return fmt::format("process {} has its code mapped shared, where the kernel places no probe",
                         pid);
    case Found::kElsewhere:
      return fmt::format(
          "process {} has moved its code from its file to other memory (as for huge pages), where "
          "neither probes nor samples know it; start it without that",
          pid);
    case Found::kUnreadable:
      return fmt::format(
          "process {} has its code mapped so that it cannot be read: whether it is as in its file, "
          "whose instruction a probe executes, is not known",
          pid);
    case Found::kProbed:
      if (!own_breakpoint) return "";
      return fmt::format(
          "process {} handles SIGTRAP and has a breakpoint at it in memory, most likely its own, "
          "which a probe would take away",
          pid);
    case Found::kAsFile:
    case Found::kUnknown:
      break;
  }
  return "";
}

}  // namespace

void Check::add(const plan::Way& way, int image, size_t owner, Sites& sites) const {
  const auto& file = plan_.images[size_t(image)].file;
  if (!file) return;
  std::ranges::move(sites_of(way, *file), std::back_inserter(sites.all));
  sites.owners.resize(sites.all.size(), owner);
}

void Check::add(const plan::OperationStates& states, int image, std::span<const size_t> operations,
                Sites& sites) const {
  for (const size_t i : operations)
    if (!states[i].refused()) add(plan::way_of(plan_, states, i), image, i, sites);
}

// Without what is written into code: who does that looks itself what is there before.
void Check::add_probed(const plan::OperationStates& states, int image,
                       std::span<const size_t> operations, Sites& sites) const {
  std::vector<size_t> probed;
  std::ranges::copy_if(operations, std::back_inserter(probed),
                       [&](size_t i) { return !plan::way_of(plan_, states, i).writes_code(); });
  add(states, image, probed, sites);
}

void Check::add_transfers(int image, Sites& sites) const {
  for (size_t i = 0; i < plan_.transfers.size(); ++i)
    if (plan_.transfers[i].image == image)
      for (const plan::Way& way : plan_.transfers[i].ways)
        if (!way.writes_code()) add(way, image, plan_.operations.size() + i, sites);
}

std::vector<Check::Change> Check::changed(const plan::OperationStates& states, pid_t pid, int image,
                                          std::span<const size_t> operations) {
  std::vector<Change> out;
  Sites sites;
  add_probed(states, image, operations, sites);
  const Seen seen = look(pid, image, sites);
  remember_others(pid, seen);
  for (const auto& [i, found] : seen.worst)
    if (std::string reason = why(found, seen.handles_traps && !begun_, pid); !reason.empty())
      out.push_back({{i, std::move(reason)}, found == Found::kElsewhere});
  return out;
}

std::map<size_t, Found> Check::worst(const plan::OperationStates& states, pid_t pid, int image,
                                     std::span<const size_t> operations) {
  Sites sites;
  add(states, image, operations, sites);
  return look(pid, image, sites).worst;
}

std::vector<size_t> Check::changed_transfers(pid_t pid, int image) {
  std::vector<size_t> out;
  Sites sites;
  add_transfers(image, sites);
  const Seen seen = look(pid, image, sites);
  remember_others(pid, seen);
  for (const auto& [owner, found] : seen.worst)
    if (found == Found::kOther || found == Found::kUnreadable)
      out.push_back(owner - plan_.operations.size());
  return out;
}

Check::Left Check::left(const plan::OperationStates& states, pid_t pid, int image,
                        uint64_t within_ns) {
  Left out;
  Sites sites;
  std::vector<size_t> operations;
  for (size_t i = 0; i < plan_.operations.size(); ++i)
    if (plan_.operations[i].image == image) operations.push_back(i);
  add_probed(states, image, operations, sites);
  add_transfers(image, sites);
  const Seen seen = look(pid, image, sites, within_ns);
  out.looked = seen.could;
  out.debugger = seen.debugger;
  for (const auto& [owner, found] : seen.worst) {
    if (others_.contains({pid, owner})) continue;
    if (found == Found::kProbed) out.breakpoints.push_back(name_of(owner));
    if (found == Found::kOther) out.other_code.push_back(name_of(owner));
  }
  return out;
}

const std::string& Check::name_of(size_t owner) const {
  const size_t operations = plan_.operations.size();
  return owner < operations ? plan_.operations[owner].name
                            : plan_.transfers[owner - operations].symbol;
}

Check::Seen Check::look(pid_t pid, int image, const Sites& sites, uint64_t within_ns) {
  Seen out;
  if (sites.all.empty()) return out;
  const plan::PlannedImage& of = plan_.images[size_t(image)];
  const auto seen = looker_.look(pid, of.device, of.inode, sites.all, within_ns);
  if (!seen) {
    out.could = seen.error().code == Exit::kNoInput;
    if (seen.error().code != Exit::kNoInput && !std::exchange(may_not_look_, true))
      notes_.push_back("whether processes have patched the code in their memory is not known: " +
                       seen.error().text());
    return out;
  }
  out.handles_traps = seen->handles_traps;
  out.debugger = seen->debugger;
  tell_of(pid, *seen);
  for (size_t i = 0; i < sites.all.size(); ++i) {
    Found& found = out.worst[sites.owners[i]];
    found = std::max(found, seen->found[i]);
  }
  return out;
}

void Check::remember_others(pid_t pid, const Seen& seen) {
  for (const auto& [owner, found] : seen.worst)
    if (found == Found::kOther || (found == Found::kProbed && !begun_))
      others_.insert({pid, owner});
}

void Check::tell_of(pid_t pid, const Look& seen) {
  if (seen.debugger == 0 || !debugged_.insert(pid).second) return;
  notes_.push_back(
      fmt::format("process {} is held by a debugger or tracer (process {}): a breakpoint that it "
                  "sets or deletes at an observed function takes the probe there away, and may "
                  "stay behind; set none there. Where one was set, observe the program once more "
                  "for a second when the debugger is gone: the kernel puts its own code back",
                  pid, seen.debugger));
}

}  // namespace compmond::intact
