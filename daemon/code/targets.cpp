// SPDX-License-Identifier: Apache-2.0
#include "code/targets.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "code/insn.h"

namespace compmond::code {
namespace {

constexpr uint64_t kWide = 5;         // bytes of a jump or call from its (last) opcode byte on
constexpr uint64_t kReach = 130;      // of a short jump, itself included, either way
constexpr uint64_t kFarthest = 4096;  // how far back decoding may begin at a function's start,
constexpr uint64_t kAnywhere = 512;  // and else begins anywhere: wrong decoding meets the right one
                                     // within some 10 instructions
constexpr uint64_t kCodeAtOnce = 4 << 20;  // bytes of code in memory at once

}  // namespace

JumpTargets::JumpTargets(const Memory& memory, const Functions& functions)
    : memory_(memory), functions_(functions) {
  for (const elf::Image::Range& range : memory.text())
    maps_.push_back({range, std::vector<bool>(range.size)});
  for (const elf::Image::Range& range : memory.text())
    for (uint64_t at = 0; at < range.size; at += kCodeAtOnce)
      add_wide(range.vaddr + at, std::min(kCodeAtOnce + kWide, range.size - at));
}

void JumpTargets::add(uint64_t target) {
  for (Map& map : maps_)
    if (target - map.range.vaddr < map.hit.size()) map.hit[target - map.range.vaddr] = true;
}

// Chunks overlap by one jump: those found twice do no harm. The byte before a chunk is not seen, so
// that its first byte counts as the second of a conditional jump.
void JumpTargets::add_wide(uint64_t vaddr, uint64_t size) {
  const auto bytes = memory_.read(vaddr, size);
  for (size_t at = 0; at + kWide <= bytes.size(); ++at) {
    const bool jump = (bytes[at] & 0xfe) == 0xe8;
    const bool conditional = (bytes[at] & 0xf0) == 0x80 && (at == 0 || bytes[at - 1] == 0x0f);
    if (!jump && !conditional) continue;
    int32_t displacement;
    std::memcpy(&displacement, bytes.data() + at + 1, sizeof displacement);
    add(vaddr + at + kWide + uint64_t(int64_t(displacement)));
  }
}

bool JumpTargets::any_within(uint64_t after, uint64_t last) const {
  return wide_within(after, last) || short_within(after, last);
}

bool JumpTargets::wide_within(uint64_t after, uint64_t last) const {
  for (const Map& map : maps_)
    for (uint64_t at = after + 1; at <= last; ++at)
      if (at - map.range.vaddr < map.hit.size() && map.hit[at - map.range.vaddr]) return true;
  return false;
}

bool JumpTargets::short_within(uint64_t after, uint64_t last) const {
  const auto text =
      std::ranges::find_if(memory_.text(), [&](const auto& r) { return after - r.vaddr < r.size; });
  if (text == memory_.text().end()) return false;
  const uint64_t back = after - text->vaddr;
  const auto& starts = functions_.all();
  auto next =
      std::ranges::upper_bound(starts, after - std::min(back, kReach), {}, &elf::Symbol::vaddr);
  uint64_t begin = after - std::min(back, kAnywhere);
  if (next != starts.begin() && after - (*std::prev(next))->vaddr <= std::min(back, kFarthest))
    begin = (*std::prev(next))->vaddr;
  const auto bytes = memory_.read(begin, last + kReach - begin);
  for (uint64_t at = 0; at < bytes.size();) {
    const std::span rest = std::span(bytes).subspan(at);
    const Step one = step(rest.first(std::min<uint64_t>(rest.size(), kLongestInsn)), begin + at);
    if (one.target > after && one.target <= last) return true;
    at += std::max<uint64_t>(one.length, 1);
    // Decoding that has run over a function's start was wrong: there it begins anew.
    while (next != starts.end() && (*next)->vaddr <= begin + at) at = (*next++)->vaddr - begin;
  }
  return false;
}

}  // namespace compmond::code
