// SPDX-License-Identifier: Apache-2.0
#include "elf/versions.h"

#include <utility>

#include "core/limits.h"

namespace compmond::elf {
namespace {

constexpr uint64_t kVersionBytes = uint64_t(16)
                                   << 20;  // libstdc++, with the most versions, has 3 KB
constexpr size_t kVersions = 0x8000;       // an index has 15 bits
constexpr uint16_t kHidden = 0x8000;

}  // namespace

void Versions::set(uint16_t index, std::string_view name) {
  if (names_.size() <= index) names_.resize(size_t(index) + 1);
  names_[index] = name.substr(0, limits::kNameBytes);
}

Result<Versions> Versions::read(const ElfFile& file) {
  Versions versions;
  const Section* per_symbol = file.section_of_type(SHT_GNU_versym);
  if (!per_symbol) return versions;
  auto bytes = file.bytes(*per_symbol, limits::kSymbols * sizeof(uint16_t));
  if (!bytes) return Unexpected(bytes.error());
  versions.indices_.resize(bytes->size() / sizeof(uint16_t));
  if (!versions.indices_.empty())
    std::memcpy(versions.indices_.data(), bytes->data(),
                versions.indices_.size() * sizeof(uint16_t));
  for (const auto& [type, read] : {std::pair{SHT_GNU_verdef, &Versions::read_defined},
                                   std::pair{SHT_GNU_verneed, &Versions::read_needed}}) {
    const Section* section = file.section_of_type(type);
    if (!section) continue;
    auto entries = file.bytes(*section, kVersionBytes);
    if (!entries) return Unexpected(entries.error());
    auto strings = file.linked_strings(*section);
    if (!strings) return Unexpected(strings.error());
    if (auto ok = (versions.*read)(file, {section->name, *entries, *strings}); !ok)
      return Unexpected(ok.error());
  }
  return versions;
}

Result<void> Versions::read_defined(const ElfFile& file, const Table& table) {
  uint64_t offset = 0;
  for (size_t count = 0; count < kVersions; ++count) {
    const auto entry = value_at<Elf64_Verdef>(table.entries, offset);
    const auto aux =
        entry ? value_at<Elf64_Verdaux>(table.entries, offset + entry->vd_aux) : std::nullopt;
    const auto name = aux ? text_at(table.strings, aux->vda_name) : std::nullopt;
    if (!name) return file.damaged(fmt::format("entry {} of {} is malformed", count, table.name));
    // The base version names the file itself.
    if (!(entry->vd_flags & VER_FLG_BASE)) set(entry->vd_ndx & ~kHidden, *name);
    if (entry->vd_next == 0) break;
    offset += entry->vd_next;
  }
  return {};
}

Result<void> Versions::read_needed(const ElfFile& file, const Table& table) {
  uint64_t offset = 0;
  size_t seen = 0;
  while (seen < kVersions) {
    const auto library = value_at<Elf64_Verneed>(table.entries, offset);
    if (!library) return file.damaged(fmt::format("{} ends inside an entry", table.name));
    uint64_t at = offset + library->vn_aux;
    for (unsigned i = 0; i < library->vn_cnt && seen < kVersions; ++i, ++seen) {
      const auto aux = value_at<Elf64_Vernaux>(table.entries, at);
      const auto name = aux ? text_at(table.strings, aux->vna_name) : std::nullopt;
      if (!name) return file.damaged(fmt::format("entry {} of {} is malformed", seen, table.name));
      set(aux->vna_other & ~kHidden, *name);
      if (aux->vna_next == 0) break;
      at += aux->vna_next;
    }
    if (library->vn_next == 0) break;
    offset += library->vn_next;
    ++seen;
  }
  return {};
}

Versions::Version Versions::of(size_t index) const {
  if (index >= indices_.size()) return {};
  const uint16_t version = indices_[index] & uint16_t(~kHidden);
  if (version <= VER_NDX_GLOBAL || version >= names_.size()) return {};
  return {names_[version], (indices_[index] & kHidden) != 0};
}

}  // namespace compmond::elf
