// SPDX-License-Identifier: Apache-2.0
#include "code/memory.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "core/read_at.h"
#include "elf/elf_file.h"
#include "elf/links.h"

namespace compmond::code {
namespace {

class ImageMemory : public Memory {
 public:
  explicit ImageMemory(const elf::Image& image) : image_(image) {
    auto file = elf::ElfFile::open(image.fd().get(), image.path());
    if (!file) return;  // it was readable when the image was opened: nothing can be read any more
    for (const Elf64_Phdr& segment : file->segments())
      if (segment.p_type == PT_LOAD) segments_.push_back(segment);
  }

  std::vector<uint8_t> read(uint64_t vaddr, uint64_t size) const override {
    for (const Elf64_Phdr& segment : segments_) {
      if (vaddr < segment.p_vaddr || vaddr - segment.p_vaddr >= segment.p_filesz) continue;
      const uint64_t skip = vaddr - segment.p_vaddr;
      std::vector<uint8_t> bytes(std::min(size, segment.p_filesz - skip));
      bytes.resize(read_at(image_.fd(), bytes.data(), bytes.size(), segment.p_offset + skip));
      return bytes;
    }
    return {};
  }

  const std::vector<elf::Image::Range>& text() const override { return image_.text(); }
  uint64_t region_size(uint64_t vaddr) const override { return image_.fde_size(vaddr); }

  bool pointed_into(uint64_t after, uint64_t last) const override {
    if (!pointers_) pointers_ = elf::read_pointers(image_);
    if (!*pointers_) return true;
    const auto next = std::ranges::upper_bound(**pointers_, after);
    return next != (*pointers_)->end() && *next <= last;
  }

 private:
  const elf::Image& image_;
  std::vector<Elf64_Phdr> segments_;
  mutable std::optional<Result<std::vector<uint64_t>>> pointers_;  // read when first asked for
};

}  // namespace

std::unique_ptr<Memory> memory_of(const elf::Image& image) {
  return std::make_unique<ImageMemory>(image);
}

const std::vector<uint8_t>& CodeReader::page(uint64_t number) {
  auto [it, fresh] = pages_.try_emplace(number);
  if (!fresh) return it->second;
  // A segment may begin inside its first page: the bytes before it count as zero, and nobody asks
  // for them.
  uint64_t begin = number * kPage;
  for (const elf::Image::Range& range : memory_.text())
    if (range.vaddr > begin && range.vaddr < begin + kPage) begin = range.vaddr;
  it->second.assign(begin % kPage, 0);
  const auto bytes = memory_.read(begin, kPage - begin % kPage);
  it->second.insert(it->second.end(), bytes.begin(), bytes.end());
  return it->second;
}

std::span<const uint8_t> CodeReader::at(uint64_t vaddr) {
  const std::vector<uint8_t>& first = page(vaddr / kPage);
  const uint64_t skip = vaddr % kPage;
  if (skip >= first.size()) return {};
  const size_t here = std::min(kLongest, size_t(first.size() - skip));
  if (here == kLongest || first.size() < kPage) return std::span(first).subspan(skip, here);
  std::copy_n(first.begin() + ptrdiff_t(skip), here, straddling_.begin());
  const std::vector<uint8_t>& second = page(vaddr / kPage + 1);
  const size_t more = std::min(kLongest - here, second.size());
  std::copy_n(second.begin(), more, straddling_.begin() + ptrdiff_t(here));
  return std::span(straddling_).first(here + more);
}

Functions::Functions(std::span<const elf::Symbol> symbols) {
  for (const elf::Symbol& symbol : symbols)
    if (symbol.kind == elf::SymbolKind::kFunction || symbol.kind == elf::SymbolKind::kIfunc)
      sorted_.push_back(&symbol);
  std::ranges::copy_if(sorted_, std::back_inserter(cold_),
                       [](const elf::Symbol* s) { return is_cold_part(*s); });
  std::ranges::sort(cold_, {}, &elf::Symbol::name);
}

std::span<const elf::Symbol* const> Functions::cold_parts(const std::string& name) const {
  const std::string prefix = name + ".cold";
  const auto first = std::ranges::lower_bound(cold_, prefix, {}, &elf::Symbol::name);
  const auto last = std::find_if(
      first, cold_.end(), [&](const elf::Symbol* s) { return !s->name.starts_with(prefix); });
  return {first, last};
}

const elf::Symbol* Functions::at(uint64_t vaddr) const {
  const auto it = std::ranges::lower_bound(sorted_, vaddr, {}, &elf::Symbol::vaddr);
  return it != sorted_.end() && (*it)->vaddr == vaddr ? *it : nullptr;
}

const elf::Symbol* Functions::covering(uint64_t vaddr) const {
  auto it = std::ranges::upper_bound(sorted_, vaddr, {}, &elf::Symbol::vaddr);
  // Aliases of one address may differ in size; a few steps back see them all.
  for (int steps = 0; it != sorted_.begin() && steps < 8; ++steps) {
    --it;
    if (vaddr - (*it)->vaddr < (*it)->size) return *it;
  }
  return nullptr;
}

bool Functions::begins_within(uint64_t after, uint64_t last) const {
  const auto it = std::ranges::upper_bound(sorted_, after, {}, &elf::Symbol::vaddr);
  return it != sorted_.end() && (*it)->vaddr <= last;
}

bool is_cold_part(const elf::Symbol& symbol) {
  const std::string_view name = symbol.name;
  const size_t at = name.rfind(".cold");
  if (at == std::string_view::npos || at == 0) return false;
  const std::string_view tail = name.substr(at + 5);
  return tail.empty() || tail.front() == '.';
}

}  // namespace compmond::code
