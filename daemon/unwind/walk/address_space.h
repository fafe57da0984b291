// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sampling/unwinder.h"

namespace compmond::unwind {

// Where a process has code.
class AddressSpace {
 public:
  // Replaces what was there before, whole or in part.
  void map(const sampling::Mapping& mapping);
  const sampling::Mapping* find(uint64_t address) const;  // null: nothing is known there
  const std::vector<sampling::Mapping>& mappings() const { return mappings_; }  // by address

 private:
  std::vector<sampling::Mapping> mappings_;
};

// Those of all processes. Processes that fork share one until one of them changes it. Beyond the
// limits (limits.h) mappings and processes are not kept.
class AddressSpaces {
 public:
  bool map(uint32_t pid, const sampling::Mapping& mapping);  // false: it is not kept
  void fork(uint32_t parent, uint32_t child);
  void forget(uint32_t pid);
  const AddressSpace* find(uint32_t pid) const;  // null: nothing is known of it

  using Shared = std::shared_ptr<AddressSpace>;
  const std::unordered_map<uint32_t, Shared>& all() const { return spaces_; }

 private:
  std::unordered_map<uint32_t, Shared> spaces_;
  size_t mappings_ = 0;  // in all, shared ones once
};

}  // namespace compmond::unwind
