// SPDX-License-Identifier: Apache-2.0
#include "elf/code_targets.h"

#include <algorithm>
#include <cstring>

#include "elf/code_insn.h"

namespace compmond::elf::code {
namespace {

constexpr size_t kLongest = 15;

}  // namespace

JumpTargets::JumpTargets(const Memory& memory, const Functions& functions) {
  for (const Image::Range& range : memory.text()) maps_.push_back({range, std::vector<bool>(range.size)});
  for (const Image::Range& range : memory.text()) {
    const auto bytes = memory.read(range.vaddr, range.size);
    sweep(bytes, range.vaddr, functions);
    add_wide(bytes, range.vaddr);
  }
}

void JumpTargets::add(uint64_t target) {
  for (Map& map : maps_)
    if (target - map.range.vaddr < map.hit.size()) map.hit[target - map.range.vaddr] = true;
}

void JumpTargets::sweep(const std::vector<uint8_t>& bytes, uint64_t vaddr, const Functions& functions) {
  auto next = std::ranges::upper_bound(functions.all(), vaddr, {}, &Symbol::vaddr);
  for (size_t at = 0; at < bytes.size();) {
    const size_t longest = std::min(kLongest, bytes.size() - at);
    const Step one = step({bytes.data() + at, longest}, vaddr + at);
    if (one.target) add(one.target);
    at += std::max<size_t>(one.length, 1);
    while (next != functions.all().end() && (*next)->vaddr < vaddr + at) at = (*next++)->vaddr - vaddr;
    if (next != functions.all().end() && (*next)->vaddr == vaddr + at) ++next;
  }
}

void JumpTargets::add_wide(const std::vector<uint8_t>& bytes, uint64_t vaddr) {
  for (size_t at = 0; at + 5 <= bytes.size(); ++at) {
    const bool jump = (bytes[at] & 0xfe) == 0xe8;
    const bool conditional = at > 0 && bytes[at - 1] == 0x0f && (bytes[at] & 0xf0) == 0x80;
    if (!jump && !conditional) continue;
    int32_t displacement;
    std::memcpy(&displacement, bytes.data() + at + 1, sizeof displacement);
    add(vaddr + at + 5 + uint64_t(int64_t(displacement)));
  }
}

bool JumpTargets::any_within(uint64_t after, uint64_t last) const {
  for (const Map& map : maps_)
    for (uint64_t at = after + 1; at <= last; ++at)
      if (at - map.range.vaddr < map.hit.size() && map.hit[at - map.range.vaddr]) return true;
  return false;
}

}  // namespace compmond::elf::code
