// SPDX-License-Identifier: Apache-2.0
#include "intact/site.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "code/insn.h"

namespace compmond::intact {
namespace {

constexpr size_t kInstruction = 15;  // bytes at most
constexpr size_t kBefore = 256;      // a probe moves by some bytes
constexpr char kBreakpoint = '\xcc';
constexpr char kCall = '\xe8';
constexpr std::string_view kNop5("\x0f\x1f\x44\x00\x00", 5);

void add(std::vector<Site>& out, const Fd& file, uint64_t offset, uint64_t before) {
  before = std::min<uint64_t>({before, kBefore, offset});
  Site site{offset - before, std::string(before + kInstruction, '\0'), uint32_t(before), false};
  const ssize_t size =
      ::pread(file.get(), site.bytes.data(), site.bytes.size(), off_t(site.offset));
  if (size <= ssize_t(before)) return;
  const auto* at = reinterpret_cast<const uint8_t*>(site.bytes.data()) + before;
  const size_t length = code::step({at, size_t(size) - before}, 0).length;
  site.bytes.resize(before + std::max<size_t>(length, 1));
  out.push_back(std::move(site));
}

// A jump, of two bytes or five: what follows a short one stays as it is.
void add_written(std::vector<Site>& out, const Fd& file, uint64_t offset) {
  constexpr size_t kJump = 5;
  Site site{offset, std::string(kJump, '\0'), 0, true};
  if (::pread(file.get(), site.bytes.data(), kJump, off_t(offset)) == ssize_t(kJump))
    out.push_back(std::move(site));
}

// A 5-byte nop becomes a call of the kernel's code for probes, by way of a breakpoint (6.18).
bool becomes_call(std::string_view file, std::string_view memory, uint64_t address,
                  std::span<const Range> trampolines) {
  if (file.size() < kNop5.size() || memory.size() < kNop5.size()) return false;
  if (memory[0] == kBreakpoint) return file.starts_with(kNop5);
  if (memory[0] != kCall) return false;
  int32_t distance = 0;
  std::memcpy(&distance, memory.data() + 1, sizeof distance);
  const uint64_t target = address + kNop5.size() + uint64_t(int64_t(distance));
  return std::ranges::any_of(
      trampolines, [&](const Range& one) { return target >= one.start && target < one.end; });
}

}  // namespace

std::vector<Site> sites_of(const plan::Way& way, const Fd& file) {
  std::vector<Site> out;
  if (way.refused || way.sampled()) return out;
  if (way.writes_code()) {
    for (const plan::CodePatch& patch : way.patches) add_written(out, file, patch.offset);
    return out;
  }
  add(out, file, way.entry_offset, way.moved_by);
  if (way.exit == spec::ExitMode::kRetSites)
    for (const plan::ExitPlace& exit : way.exits) add(out, file, exit.offset, 0);
  return out;
}

Found compare(const Site& site, std::string_view memory, uint64_t address,
              std::span<const Range> trampolines) {
  if (memory.size() < site.bytes.size()) return Found::kUnknown;
  const std::string_view file = site.bytes;
  if (site.written) return memory.substr(0, file.size()) == file ? Found::kAsFile : Found::kProbed;
  bool probed = false;
  for (size_t i = 0; i < file.size(); ++i) {
    if (file[i] == memory[i]) continue;
    const bool call = becomes_call(file.substr(i), memory.substr(i), address + i, trampolines);
    if (!call && memory[i] != kBreakpoint) return Found::kOther;
    probed = probed || i == site.probe_at;
    if (call) i += kNop5.size() - 1;
  }
  return probed ? Found::kProbed : Found::kAsFile;
}

}  // namespace compmond::intact
