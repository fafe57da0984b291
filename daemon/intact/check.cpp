// SPDX-License-Identifier: Apache-2.0
#include "intact/check.h"

#include <fmt/format.h>

#include <algorithm>

namespace compmond::intact {
namespace {

void add(const plan::Way& way, const Fd& file, size_t owner, std::vector<Site>& sites,
         std::vector<size_t>& owners) {
  std::ranges::move(sites_of(way, file), std::back_inserter(sites));
  owners.resize(sites.size(), owner);
}

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

std::vector<Check::Change> Check::changed(const plan::OperationStates& states, pid_t pid, int image,
                                          std::span<const size_t> operations) {
  std::vector<Change> out;
  const Seen seen = look(states, pid, image, operations);
  for (const auto& [i, found] : seen.worst)
    if (std::string reason = why(found, seen.handles_traps && !begun_, pid); !reason.empty())
      out.push_back({{i, std::move(reason)}, found == Found::kElsewhere});
  return out;
}

std::map<size_t, Found> Check::worst(const plan::OperationStates& states, pid_t pid, int image,
                                     std::span<const size_t> operations) {
  return look(states, pid, image, operations).worst;
}

Check::Seen Check::look(const plan::OperationStates& states, pid_t pid, int image,
                        std::span<const size_t> operations) {
  std::vector<Site> sites;
  std::vector<size_t> owners;
  if (const auto& file = plan_.images[size_t(image)].file)
    for (const size_t i : operations)
      if (!states[i].refused()) add(plan::way_of(plan_, states, i), *file, i, sites, owners);
  return look(pid, image, sites, owners);
}

std::vector<size_t> Check::changed_transfers(pid_t pid, int image) {
  std::vector<Site> sites;
  std::vector<size_t> owners, out;
  if (const auto& file = plan_.images[size_t(image)].file)
    for (size_t i = 0; i < plan_.transfers.size(); ++i)
      if (plan_.transfers[i].image == image)
        for (const plan::Way& way : plan_.transfers[i].ways) add(way, *file, i, sites, owners);
  for (const auto& [i, found] : look(pid, image, sites, owners).worst)
    if (found == Found::kOther || found == Found::kUnreadable) out.push_back(i);
  return out;
}

Check::Seen Check::look(pid_t pid, int image, const std::vector<Site>& sites,
                        const std::vector<size_t>& owners) {
  Seen out;
  if (sites.empty()) return out;
  const plan::PlannedImage& of = plan_.images[size_t(image)];
  const auto seen = looker_.look(pid, of.device, of.inode, sites);
  if (!seen) {
    if (seen.error().code != Exit::kNoInput && !std::exchange(may_not_look_, true))
      notes_.push_back("whether processes have patched the code in their memory is not known: " +
                       seen.error().text());
    return out;
  }
  out.handles_traps = seen->handles_traps;
  tell_of(pid, *seen);
  for (size_t i = 0; i < sites.size(); ++i) {
    Found& found = out.worst[owners[i]];
    found = std::max(found, seen->found[i]);
  }
  return out;
}

void Check::tell_of(pid_t pid, const Look& seen) {
  if (seen.debugger == 0 || !debugged_.insert(pid).second) return;
  notes_.push_back(
      fmt::format("process {} is held by a debugger or tracer (process {}): a breakpoint that it "
                  "sets or deletes at an observed function takes the probe there away, and may "
                  "stay behind; set none there",
                  pid, seen.debugger));
}

}  // namespace compmond::intact
