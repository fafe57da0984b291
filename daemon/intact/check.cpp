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

std::string why(Found found, pid_t pid) {
  if (found == Found::kOther)
    return fmt::format(
        "process {} has other code at it in memory than its file has (patched): a "
        "probe there would execute the file's",
        pid);
  return fmt::format("process {} has its code mapped for writing, where the kernel places no probe",
                     pid);
}

}  // namespace

std::vector<engine::Placed::Refusal> Check::changed(const plan::OperationStates& states, pid_t pid,
                                                    int image, std::span<const size_t> operations) {
  std::vector<engine::Placed::Refusal> out;
  for (const auto& [i, found] : worst(states, pid, image, operations))
    if (found == Found::kOther || found == Found::kWritable) out.push_back({i, why(found, pid)});
  return out;
}

std::map<size_t, Found> Check::worst(const plan::OperationStates& states, pid_t pid, int image,
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
  for (const auto& [i, found] : look(pid, image, sites, owners))
    if (found == Found::kOther) out.push_back(i);
  return out;
}

std::map<size_t, Found> Check::look(pid_t pid, int image, const std::vector<Site>& sites,
                                    const std::vector<size_t>& owners) {
  std::map<size_t, Found> out;
  if (sites.empty()) return out;
  const plan::PlannedImage& of = plan_.images[size_t(image)];
  const auto seen = looker_.look(pid, of.device, of.inode, sites);
  if (!seen) {
    if (seen.error().code != Exit::kNoInput && !std::exchange(may_not_look_, true))
      notes_.push_back("whether processes have patched the code in their memory is not known: " +
                       seen.error().text());
    return out;
  }
  tell_of(pid, *seen);
  for (size_t i = 0; i < sites.size(); ++i) {
    Found& found = out[owners[i]];
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
