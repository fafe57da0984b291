// SPDX-License-Identifier: Apache-2.0
#include "walk/address_space.h"

#include <algorithm>

#include "core/limits.h"

namespace compmond::unwind {

using sampling::Mapping;

void AddressSpace::map(const Mapping& mapping) {
  if (mapping.start >= mapping.end) return;
  const auto first = std::ranges::upper_bound(mappings_, mapping.start, {}, &Mapping::end);
  auto last = first;
  std::vector<Mapping> pieces;  // what stays of those that are replaced in part, and the new one
  for (; last != mappings_.end() && last->start < mapping.end; ++last) {
    if (last->start < mapping.start) {
      pieces.push_back(*last);
      pieces.back().end = mapping.start;
    }
    if (last->end > mapping.end) {
      pieces.push_back(*last);
      pieces.back().offset += mapping.end - last->start;
      pieces.back().start = mapping.end;
    }
  }
  pieces.push_back(mapping);
  std::ranges::sort(pieces, {}, &Mapping::start);
  mappings_.insert(mappings_.erase(first, last), pieces.begin(), pieces.end());
}

const Mapping* AddressSpace::find(uint64_t address) const {
  const auto it = std::ranges::upper_bound(mappings_, address, {}, &Mapping::end);
  return it != mappings_.end() && it->start <= address ? &*it : nullptr;
}

bool AddressSpaces::map(uint32_t pid, const Mapping& mapping) {
  if (spaces_.size() >= limits::kTargetProcesses && !spaces_.contains(pid)) return false;
  Shared& space = spaces_[pid];
  const size_t own = space ? space->mappings().size() : 0;
  if (own >= limits::kMappings || mappings_ + own >= limits::kMappingsAll)
    return false;
  if (!space) {
    space = std::make_shared<AddressSpace>();
  } else if (space.use_count() > 1) {
    space = std::make_shared<AddressSpace>(*space);
    mappings_ += own;
  }
  space->map(mapping);
  mappings_ += space->mappings().size() - own;
  return true;
}

void AddressSpaces::fork(uint32_t parent, uint32_t child) {
  const auto from = spaces_.find(parent);
  if (from == spaces_.end() || parent == child) return;
  const Shared shared = from->second;
  forget(child);
  if (spaces_.size() < limits::kTargetProcesses) spaces_[child] = shared;
}

void AddressSpaces::forget(uint32_t pid) {
  const auto it = spaces_.find(pid);
  if (it == spaces_.end()) return;
  if (it->second.use_count() == 1) mappings_ -= it->second->mappings().size();
  spaces_.erase(it);
}

const AddressSpace* AddressSpaces::find(uint32_t pid) const {
  const auto it = spaces_.find(pid);
  return it == spaces_.end() ? nullptr : it->second.get();
}

}  // namespace compmond::unwind
