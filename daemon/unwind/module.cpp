// SPDX-License-Identifier: Apache-2.0
#include "unwind/module.h"

#include <elfutils/libdw.h>
#include <libelf.h>
#include <unistd.h>

#include <algorithm>

#include "elf/elf_file.h"
#include "unwind/decode.h"

namespace compmond::unwind {
namespace {

constexpr size_t kRules = 4096;          // of a file; real ones have a few dozen
constexpr size_t kStretches = 1u << 17;  // of a file: 10 MiB; clang runs through some 30,000

bool holds(const Elf64_Phdr& segment, uint64_t first, uint64_t at, uint64_t size) {
  return at >= first && at - first < segment.p_filesz && size <= segment.p_filesz - (at - first);
}

}  // namespace

void Module::Ender::operator()(Elf* elf) const { elf_end(elf); }
void Module::Ender::operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
void Module::Ender::operator()(Dwarf_CFI_s* cfi) const { dwarf_cfi_end(cfi); }

Result<Module> Module::open(const Fd& file, const std::string& path, bool rows) {
  auto checked = elf::ElfFile::open(file.get(), path);
  if (!checked) return Unexpected(std::move(checked.error()));
  Module out;
  out.fd_ = file.get();
  for (const Elf64_Phdr& segment : checked->segments())
    if (segment.p_type == PT_LOAD && segment.p_filesz > 0) out.segments_.push_back(segment);
  std::stable_partition(out.segments_.begin(), out.segments_.end(),
                        [](const Elf64_Phdr& s) { return s.p_flags & PF_X; });
  if (!rows) return out;
  // Mapped, since libdw asks for the whole file.
  out.elf_.reset(elf_begin(file.get(), ELF_C_READ_MMAP, nullptr));
  if (!out.elf_) return checked->damaged(fmt::format("libelf refuses it: {}", elf_errmsg(-1)));
  out.eh_frame_.reset(dwarf_getcfi_elf(out.elf_.get()));
  if (checked->section(".debug_frame") && checked->unpacks_soundly()) out.open_debug_frame();
  return out;
}

void Module::open_debug_frame() {
  dwarf_.reset(dwarf_begin_elf(elf_.get(), DWARF_C_READ, nullptr));
  if (dwarf_) debug_frame_ = dwarf_getcfi(dwarf_.get());
}

std::optional<uint64_t> Module::vaddr_of(uint64_t offset) const {
  for (const Elf64_Phdr& s : segments_)
    if (holds(s, s.p_offset, offset, 1)) return offset - s.p_offset + s.p_vaddr;
  return std::nullopt;
}

Row Module::row_at(uint64_t vaddr) {
  // Most of a function is one stretch, and so is the linkage table.
  auto it = stretches_.upper_bound(vaddr);
  if (it != stretches_.begin() && vaddr < (--it)->second.end) return it->second.row;
  Decoded decoded = decode(vaddr);
  if (decoded.row.kind == Row::Kind::kUnknown) return {};
  // libdw 0.188 takes a row that was saved and restored for as long as from where it was saved.
  if (decode(decoded.start).end != decoded.end) decoded.start = vaddr;
  return keep(std::move(decoded));
}

Decoded Module::decode(uint64_t vaddr) const {
  Decoded out;
  for (Dwarf_CFI_s* cfi : {eh_frame_.get(), debug_frame_})
    if (cfi && !out.found) out = decode_row(cfi, vaddr);
  return out;
}

Row Module::keep(Decoded decoded) {
  Row& row = decoded.row;
  if (row.kind == Row::Kind::kRules) {
    if (rules_.size() == kRules) return {};
    row.rules = uint32_t(rules_.size());
    rules_.push_back(std::move(decoded.rules));
  }
  if (stretches_.size() < kStretches) stretches_[decoded.start] = {decoded.end, row};
  return row;
}

size_t Module::read(uint64_t vaddr, std::span<uint8_t> to) const {
  for (const Elf64_Phdr& s : segments_) {
    if ((s.p_flags & PF_W) || !holds(s, s.p_vaddr, vaddr, 1)) continue;
    const uint64_t skip = vaddr - s.p_vaddr;
    const size_t size = std::min<uint64_t>(to.size(), s.p_filesz - skip);
    const ssize_t got = ::pread(fd_, to.data(), size, off_t(s.p_offset + skip));
    return got > 0 ? size_t(got) : 0;
  }
  return 0;
}

}  // namespace compmond::unwind
