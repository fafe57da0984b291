// SPDX-License-Identifier: Apache-2.0
#include "patient/address_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <utility>

#include "target/proc_folder.h"
#include "target/proc_text.h"

namespace compmond::inprocess {
namespace {

constexpr uint64_t kPage = 4096, kReach = 1 << 30, kApart = 1 << 16;
constexpr uint64_t kLowest = 1 << 16;       // vm.mmap_min_addr
constexpr uint64_t kHeapGrows = 256 << 20;  // left free above what may be the heap

// The last bytes before an end of code, where its file has zeros.
Slack last_of(uint64_t end) {
  const uint64_t size = bytes_of_detour() + 16;
  return {end - size, size, 0};
}

}  // namespace

Result<AddressSpace> AddressSpace::of(pid_t pid) {
  const auto maps = target::read_maps(target::live_folder(pid));
  if (!maps) return Unexpected(maps.error());
  return AddressSpace(*maps);
}

AddressSpace::AddressSpace(const std::string& maps) {
  std::istringstream lines(maps);
  for (std::string line; std::getline(lines, line);) {
    Part part;
    if (std::sscanf(line.c_str(), "%lx-%lx", &part.start, &part.end) != 2) continue;
    part.is_stack = line.ends_with("[stack]");
    part.is_guard = line.find(" ---p ") != std::string::npos;
    part.only_read = line.find(" r--p ") != std::string::npos;
    part.grows = line.ends_with("[stack]") || line.ends_with("[heap]");
    if (const auto file = target::parse_mapping(line)) {
      part.offset = file->offset;
      part.device = file->device;
      part.inode = file->inode;
      part.executable = file->executable && !file->writable;
    }
    parts_.push_back(part);
  }
}

bool AddressSpace::Part::has_code(FileId file, uint64_t at) const {
  return executable && inode == file.inode && target::same_device(device, file.device) &&
         at >= offset && at - offset < end - start;
}

std::optional<uint64_t> AddressSpace::address_of(FileId file, uint64_t offset) const {
  for (const Part& part : parts_)
    if (part.has_code(file, offset)) return part.start + (offset - part.offset);
  return std::nullopt;
}

bool AddressSpace::is_twice(FileId file, uint64_t offset) const {
  return std::ranges::count_if(parts_,
                               [&](const Part& part) { return part.has_code(file, offset); }) > 1;
}

std::optional<FileId> AddressSpace::file_at(uint64_t address) const {
  const auto found = std::ranges::find(parts_, address, &Part::start);
  if (found == parts_.end() || found->inode == 0) return std::nullopt;
  return FileId{found->device, found->inode};
}

uint64_t AddressSpace::end_of_stack(uint64_t sp, uint64_t at_most) const {
  auto next = std::ranges::upper_bound(parts_, sp, {}, &Part::start);
  if (next == parts_.begin() || sp >= std::prev(next)->end) return 0;
  uint64_t out = std::prev(next)->end;
  for (; next != parts_.end() && next->start == out && out - sp < at_most; ++next) {
    if (next->is_guard || next->inode != 0) break;
    out = next->end;
  }
  return out;
}

uint64_t AddressSpace::room_on_stack(uint64_t sp) const {
  const auto after = std::ranges::upper_bound(parts_, sp - 1, {}, &Part::start);
  if (after == parts_.begin() || sp > std::prev(after)->end) return 0;
  const auto at = std::prev(after);
  const bool guarded =
      at != parts_.begin() && std::prev(at)->is_guard && std::prev(at)->end == at->start;
  return at->is_stack || (guarded && at->inode == 0) ? sp - at->start : 0;
}

std::vector<uint64_t> AddressSpace::private_memory(uint64_t size) const {
  std::vector<uint64_t> out;
  for (const Part& part : parts_)
    if (part.only_read && part.inode == 0 && part.end - part.start == size)
      out.push_back(part.start);
  return out;
}

// Right below what is there: above it a heap may grow, and below a stack that does.
std::optional<uint64_t> AddressSpace::place_near(uint64_t address, uint64_t size) const {
  const auto at = std::ranges::find_if(
      parts_, [&](const Part& part) { return address >= part.start && address < part.end; });
  if (at == parts_.end()) return std::nullopt;
  uint64_t low = at->start, high = at->end;  // of the file
  for (const Part& part : parts_)
    if (part.inode == at->inode && part.device == at->device) {
      low = std::min(low, part.start);
      high = std::max(high, part.end);
    }
  const uint64_t needed = size + 2 * kApart;
  for (auto above = at;; --above) {
    const uint64_t from = above == parts_.begin() ? kLowest : std::prev(above)->end;
    const bool below_stack = above->grows;
    if (!below_stack && above->start > from && above->start - from >= needed) {
      const uint64_t place = (above->start - kApart - size) & ~(kPage - 1);
      if (high - place <= kReach) return place;
      break;
    }
    if (above == parts_.begin()) break;
  }
  for (auto below = at; below != parts_.end(); ++below) {
    const auto next = std::next(below);
    const uint64_t to = next == parts_.end() ? uint64_t(1) << 47 : next->start;
    const uint64_t place = (below->end + kHeapGrows) & ~(kPage - 1);
    if (place + needed <= to && place + size - low <= kReach) return place;
  }
  return std::nullopt;
}

std::vector<Slack> AddressSpace::detours(const ProcessMemory& memory) const {
  std::vector<Slack> out;
  for (const Part& part : parts_)
    if (part.executable && part.end - part.start >= kPage)
      if (const Slack end = last_of(part.end); holds_detour(memory, end)) out.push_back(end);
  return out;
}

// The end of a last page, which the file fills with zeros, but for what was left there.
std::optional<Slack> AddressSpace::slack(const ProcessMemory& memory) const {
  std::vector<uint8_t> page(kPage);
  for (const Part& part : parts_) {
    if (!part.executable || part.end - part.start < kPage) continue;
    const Slack end = last_of(part.end);
    if (holds_detour(memory, end)) return end;
    if (!memory.read(part.end - kPage, page)) continue;
    const auto last = std::ranges::find_if(page.rbegin(), page.rend(),
                                           [&](uint8_t byte) { return byte != end.fill; });
    const auto size = uint64_t(last - page.rbegin());
    if (size >= end.size && size < kPage) return end;
  }
  return std::nullopt;
}

}  // namespace compmond::inprocess
