// SPDX-License-Identifier: Apache-2.0
#include "engine/all_targets.h"

#include <fmt/format.h>

#include <span>

namespace compmond::engine {

Result<void> AllTargets::add(pid_t pid) {
  if (auto added = lists_[0].targets->add(pid); !added) return added;
  for (const List& other : std::span(lists_).subspan(1)) {
    const auto added = other.targets->add(pid);
    if (added || added.error().code == Exit::kNoInput) continue;  // it ended meanwhile: no loss
    const std::lock_guard lock(mutex_);
    if (++without_ <= kNotes)
      notes_.push_back(
          fmt::format("{} does without process {}: {}", other.engine, pid, added.error().text()));
  }
  return {};
}

void AllTargets::remove(pid_t pid) {
  for (const List& list : lists_) list.targets->remove(pid);
}

std::vector<std::string> AllTargets::notes() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> out = notes_;
  if (without_ > kNotes) out.push_back(fmt::format("… and without {} more", without_ - kNotes));
  return out;
}

}  // namespace compmond::engine
