// SPDX-License-Identifier: Apache-2.0
#include "elf/links.h"

#include <algorithm>
#include <utility>

namespace compmond::elf {
namespace {

constexpr uint64_t kDynamicBytes = 1u << 20;  // some 30 entries of 16 bytes are usual
constexpr Elf64_Sxword kPacked = 36;          // DT_RELR
constexpr uint64_t kTableBytes = 64u << 20;   // relocations of browsers, the largest, take 30 MB

// The tables that the dynamic segment names, by address rather than by section: a file may have no
// sections.
class Tables {
 public:
  static Result<Tables> of(const Image& image) {
    auto file = ElfFile::open(image.fd().get(), image.path());
    if (!file) return Unexpected(file.error());
    Tables out(std::move(*file));
    const auto strings = out.table(DT_STRTAB, DT_STRSZ, "the dynamic strings");
    if (!strings) return Unexpected(strings.error());
    out.strings_ = *strings;
    return out;
  }

  const ElfFile& file() const { return file_; }
  const std::vector<Elf64_Dyn>& entries() const { return entries_; }
  Bytes strings() const { return strings_; }
  Result<Bytes> table(Elf64_Sxword where, Elf64_Sxword size, const std::string& what) const {
    if (value(where) == 0 || value(size) == 0) return Bytes();
    return at(value(where), value(size), what);
  }
  // No entry tells how many symbols there are. Linkers put their names behind them.
  Result<Bytes> symbols() const {
    const uint64_t begin = value(DT_SYMTAB), names = value(DT_STRTAB);
    if (begin == 0) return Bytes();
    return at(begin, names > begin ? names - begin : kTableBytes, "the dynamic symbols");
  }

 private:
  explicit Tables(ElfFile file) : file_(std::move(file)), entries_(dynamic_entries(file_)) {}
  uint64_t value(Elf64_Sxword tag) const {
    for (const Elf64_Dyn& entry : entries_)
      if (entry.d_tag == tag) return entry.d_un.d_val;
    return 0;
  }
  Result<Bytes> at(uint64_t vaddr, uint64_t size, const std::string& what) const {
    for (const Elf64_Phdr& segment : file_.segments()) {
      if (segment.p_type != PT_LOAD || vaddr - segment.p_vaddr >= segment.p_filesz) continue;
      const uint64_t inside = vaddr - segment.p_vaddr;
      return file_.bytes(segment.p_offset + inside, std::min(size, segment.p_filesz - inside), what,
                         kTableBytes);
    }
    return file_.damaged(what + " lie outside of what is loaded");
  }

  ElfFile file_;
  std::vector<Elf64_Dyn> entries_;
  Bytes strings_;  // of the file
};

void add_slots(Bytes relocations, Bytes symbols, Bytes strings, Slots& slots) {
  for (uint64_t at = 0; const auto entry = value_at<Elf64_Rela>(relocations, at);
       at += sizeof *entry) {
    const uint64_t type = ELF64_R_TYPE(entry->r_info);
    const bool plain = entry->r_addend == 0;
    if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && !(type == R_X86_64_64 && plain))
      continue;
    const auto symbol =
        value_at<Elf64_Sym>(symbols, ELF64_R_SYM(entry->r_info) * sizeof(Elf64_Sym));
    if (!symbol) continue;
    const auto name = text_at(strings, symbol->st_name);
    if (name && !name->empty()) slots.emplace(entry->r_offset, *name);
  }
}

std::vector<Pointer> pointers_in(Bytes relocations, Bytes symbols) {
  std::vector<Pointer> out;
  for (uint64_t at = 0; const auto entry = value_at<Elf64_Rela>(relocations, at);
       at += sizeof *entry) {
    const uint64_t type = ELF64_R_TYPE(entry->r_info);
    uint64_t base = 0;
    if (type == R_X86_64_64)
      if (const auto symbol =
              value_at<Elf64_Sym>(symbols, ELF64_R_SYM(entry->r_info) * sizeof(Elf64_Sym)))
        base = symbol->st_value;
    if (type == R_X86_64_RELATIVE || type == R_X86_64_64)
      out.push_back({entry->r_offset, base + uint64_t(entry->r_addend)});
  }
  return out;
}

Result<std::vector<Pointer>> relocated(const Tables& tables) {
  const auto symbols = tables.symbols();
  if (!symbols) return Unexpected(symbols.error());
  const auto relocations = tables.table(DT_RELA, DT_RELASZ, "the relocations");
  if (!relocations) return Unexpected(relocations.error());
  return pointers_in(*relocations, *symbols);
}

}  // namespace

std::vector<Elf64_Dyn> dynamic_entries(const ElfFile& file) {
  std::vector<Elf64_Dyn> out;
  for (const Elf64_Phdr& segment : file.segments()) {
    if (segment.p_type != PT_DYNAMIC) continue;
    const auto bytes =
        file.bytes(segment.p_offset, segment.p_filesz, "the dynamic segment", kDynamicBytes);
    if (!bytes) return out;
    for (uint64_t at = 0; const auto entry = value_at<Elf64_Dyn>(*bytes, at); at += sizeof *entry) {
      if (entry->d_tag == DT_NULL) break;
      out.push_back(*entry);
    }
  }
  return out;
}

Result<Links> read_links(const Image& image) {
  const auto tables = Tables::of(image);
  if (!tables) return Unexpected(tables.error());
  Links links;
  for (const Elf64_Dyn& entry : tables->entries()) {
    if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_SONAME) continue;
    const auto name = text_at(tables->strings(), entry.d_un.d_val);
    if (!name)
      return tables->file().damaged("a library's name lies outside of the dynamic strings");
    if (entry.d_tag == DT_SONAME)
      links.name = *name;
    else
      links.needed.emplace_back(*name);
  }
  return links;
}

Result<Slots> read_slots(const Image& image) {
  const auto tables = Tables::of(image);
  if (!tables) return Unexpected(tables.error());
  Slots slots;
  const auto symbols = tables->symbols();
  if (!symbols) return Unexpected(symbols.error());
  for (const auto& [where, size] :
       {std::pair(DT_JMPREL, DT_PLTRELSZ), std::pair(DT_RELA, DT_RELASZ)}) {
    const auto relocations = tables->table(where, size, "the relocations");
    if (!relocations) return Unexpected(relocations.error());
    add_slots(*relocations, *symbols, tables->strings(), slots);
  }
  return slots;
}

Result<std::vector<uint64_t>> read_pointers(const Image& image) {
  const auto tables = Tables::of(image);
  if (!tables) return Unexpected(tables.error());
  const auto& entries = tables->entries();
  if (tables->file().type() != ET_DYN || entries.empty() ||
      std::ranges::any_of(entries, [](const Elf64_Dyn& one) { return one.d_tag == kPacked; }))
    return fail(Exit::kUnavailable, "cannot know all pointers of " + image.path(),
                "they are not listed one by one");
  const auto found = relocated(*tables);
  if (!found) return Unexpected(found.error());
  std::vector<uint64_t> pointers;
  for (const Pointer& pointer : *found) pointers.push_back(pointer.to);
  std::ranges::sort(pointers);
  return pointers;
}

Result<std::vector<Pointer>> read_relocated(const Image& image) {
  const auto tables = Tables::of(image);
  if (!tables) return Unexpected(tables.error());
  auto pointers = relocated(*tables);
  if (pointers) std::ranges::sort(*pointers, {}, &Pointer::at);
  return pointers;
}

}  // namespace compmond::elf
