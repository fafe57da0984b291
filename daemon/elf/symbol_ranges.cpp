// SPDX-License-Identifier: Apache-2.0
#include "elf/symbol_ranges.h"

#include <algorithm>
#include <tuple>

namespace compmond::elf {
namespace {

using Covering = SymbolRanges::Covering;
using Range = SymbolRanges::Range;

constexpr size_t kChunk = 64u << 10;  // symbols read at once
constexpr size_t kRun = 128u << 10;   // and sorted at once

bool before(const Covering& a, const Covering& b) {
  return std::tuple(a.start, a.unsized, b.rank, b.size, a.file, a.name) <
         std::tuple(b.start, b.unsized, a.rank, a.size, b.file, b.name);
}

// A long sort in which nobody hears of us would look like a hang.
void sort_in_steps(std::vector<Covering>& all, const SymbolRanges::Step& step) {
  const auto at = [&](size_t i) { return all.begin() + ptrdiff_t(std::min(i, all.size())); };
  for (size_t i = 0; i < all.size(); i += kRun) {
    std::sort(at(i), at(i + kRun), before);
    step();
  }
  for (size_t run = kRun; run < all.size(); run *= 2)
    for (size_t i = 0; i + run < all.size(); i += 2 * run) {
      std::inplace_merge(at(i), at(i + run), at(i + 2 * run), before);
      step();
    }
}

std::vector<Range> code_of(const ElfFile& file) {
  std::vector<Range> out;
  for (const Elf64_Phdr& s : file.segments())
    if (s.p_type == PT_LOAD && (s.p_flags & PF_X) && s.p_vaddr + s.p_filesz > s.p_vaddr)
      out.push_back({s.p_vaddr, s.p_vaddr + s.p_filesz, 0});
  return out;
}

// What of the section behind `vaddr` a symbol without a size may have.
uint64_t section_end(const ElfFile& file, const Elf64_Sym& raw) {
  if (raw.st_shndx == SHN_UNDEF || raw.st_shndx >= file.sections().size()) return raw.st_value;
  const Elf64_Shdr& section = file.sections()[raw.st_shndx].header;
  const bool inside =
      raw.st_value >= section.sh_addr && raw.st_value - section.sh_addr < section.sh_size;
  return inside ? section.sh_addr + section.sh_size : raw.st_value;
}

uint8_t rank_of(const Elf64_Sym& raw) {
  switch (ELF64_ST_BIND(raw.st_info)) {
    case STB_LOCAL:
      return 0;
    case STB_WEAK:
      return 1;
    default:
      return 2;
  }
}

// Size 0: it is no function with code here.
Covering symbol_of(const ElfFile& file, const std::vector<Range>& code, const Elf64_Sym& raw) {
  Covering out;
  const unsigned type = ELF64_ST_TYPE(raw.st_info);
  if ((type != STT_FUNC && type != STT_GNU_IFUNC) || raw.st_name == 0) return out;
  if (raw.st_shndx == SHN_UNDEF || raw.st_shndx == SHN_ABS) return out;
  for (const Range& segment : code) {
    if (raw.st_value < segment.start || raw.st_value >= segment.end) continue;
    out.start = raw.st_value;
    out.name = raw.st_name;
    out.rank = rank_of(raw);
    out.unsized = raw.st_size == 0;
    const uint64_t size = out.unsized ? section_end(file, raw) - raw.st_value : raw.st_size;
    out.size = uint32_t(std::min({size, segment.end - raw.st_value, uint64_t(UINT32_MAX)}));
    return out;
  }
  return out;
}

// False: it cannot be read whole, or has more functions than `most`.
bool read_table(const std::vector<Range>& code, const ElfFile& file, const Section& table,
                size_t most, const SymbolRanges::Step& step, std::vector<Covering>& out) {
  const uint64_t count = table.header.sh_size / sizeof(Elf64_Sym);
  if (table.header.sh_entsize != sizeof(Elf64_Sym) || table.header.sh_offset > file.file_size() ||
      table.header.sh_size > file.file_size() - table.header.sh_offset)
    return false;
  std::vector<Elf64_Sym> chunk;
  for (uint64_t first = 0; first < count; first += kChunk) {
    chunk.resize(std::min<uint64_t>(kChunk, count - first));
    const size_t bytes = chunk.size() * sizeof(Elf64_Sym);
    const uint64_t offset = table.header.sh_offset + first * sizeof(Elf64_Sym);
    if (file.read(chunk.data(), bytes, offset) != bytes) return false;
    for (const Elf64_Sym& raw : chunk) {
      const Covering symbol = symbol_of(file, code, raw);
      if (symbol.size == 0) continue;
      if (out.size() == most) return false;
      out.push_back(symbol);
    }
    step();
  }
  return true;
}

}  // namespace

SymbolRanges SymbolRanges::read(const ElfFile& main, std::span<const ElfFile* const> from,
                                size_t most, const Step& step) {
  SymbolRanges out;
  const std::vector<Range> code = code_of(main);
  for (size_t i = 0; i < from.size(); ++i) out.add(code, *from[i], uint8_t(i), most, step);
  out.symbols_.shrink_to_fit();
  out.lay_out(step);
  return out;
}

void SymbolRanges::add(const std::vector<Range>& code, const ElfFile& file, uint8_t number,
                       size_t most, const Step& step) {
  const size_t before = symbols_.size();
  for (const uint32_t type : {SHT_SYMTAB, SHT_DYNSYM}) {
    const Section* table = file.section_of_type(type);
    if (!table || table->header.sh_link >= file.sections().size()) continue;
    const Elf64_Shdr& strings = file.sections()[table->header.sh_link].header;
    if (strings.sh_type != SHT_STRTAB || strings.sh_offset > file.file_size()) continue;
    if (!read_table(code, file, *table, most, step, symbols_)) symbols_.resize(before);
    if (symbols_.size() == before) continue;
    for (size_t i = before; i < symbols_.size(); ++i) symbols_[i].file = number;
    strings_[number] = {
        strings.sh_offset,
        strings.sh_offset + std::min(strings.sh_size, file.file_size() - strings.sh_offset)};
    return;
  }
}

void SymbolRanges::lay_out(const Step& step) {
  sort_in_steps(symbols_, step);
  std::vector<Range> open;  // those around the place we are at, the innermost last
  uint64_t at = 0;
  const auto fill_until = [&](uint64_t to) {
    if (to > at) ranges_.push_back({at, to, open.back().symbol});
    at = std::max(at, to);
  };
  const auto close_until = [&](uint64_t to) {
    for (; !open.empty() && open.back().end <= to; open.pop_back()) fill_until(open.back().end);
  };
  for (size_t i = 0, next = 0; i < symbols_.size(); i = next) {
    const Covering& symbol = symbols_[i];
    uint64_t end = symbol.start + symbol.size;
    for (next = i; next < symbols_.size() && symbols_[next].start == symbol.start; ++next)
      if (!symbols_[next].unsized) end = std::max(end, symbol.start + symbols_[next].size);
    if (symbol.unsized && next < symbols_.size()) end = std::min(end, symbols_[next].start);
    close_until(symbol.start);
    if (!open.empty()) fill_until(symbol.start);
    at = symbol.start;
    open.push_back({symbol.start, end, uint32_t(i)});
  }
  close_until(UINT64_MAX);
  step();
}

const SymbolRanges::Range* SymbolRanges::find(uint64_t vaddr) const {
  const auto behind = std::ranges::upper_bound(ranges_, vaddr, {}, &Range::start);
  if (behind == ranges_.begin()) return nullptr;
  const Range& range = *std::prev(behind);
  return vaddr < range.end ? &range : nullptr;
}

SymbolRanges::Range SymbolRanges::gap(uint64_t vaddr, uint64_t start, uint64_t end) const {
  const auto behind = std::ranges::upper_bound(ranges_, vaddr, {}, &Range::start);
  if (behind != ranges_.end()) end = std::min(end, behind->start);
  if (behind != ranges_.begin()) start = std::max(start, std::prev(behind)->end);
  return {start, end, 0};
}

}  // namespace compmond::elf
