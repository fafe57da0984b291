// SPDX-License-Identifier: Apache-2.0
#include "elf/symbols.h"

#include <algorithm>
#include <tuple>

#include "core/limits.h"
#include "elf/versions.h"

namespace compmond::elf {
namespace {

constexpr size_t kRawNameBytes =
    64u << 10;  // a mangled name may be longer than its demangled, cut form
constexpr uint64_t kAllNameBytes = uint64_t(1)
                                   << 30;  // tables may let many symbols share one long text

// $d, $x.12 and the like mark stretches of code and data for disassemblers.
bool is_mapping_symbol(std::string_view name) {
  return name.size() >= 2 && name[0] == '$' && (name.size() == 2 || name[2] == '.');
}

const Image::Range* range_of(const std::vector<Image::Range>& text, uint64_t vaddr) {
  for (const Image::Range& range : text)
    if (vaddr >= range.vaddr && vaddr - range.vaddr < range.size) return &range;
  return nullptr;
}

SymbolKind kind_of(const Elf64_Sym& raw, bool in_text) {
  if (raw.st_shndx == SHN_UNDEF) return SymbolKind::kImport;
  if (!in_text) return SymbolKind::kData;
  switch (ELF64_ST_TYPE(raw.st_info)) {
    case STT_FUNC:
      return SymbolKind::kFunction;
    case STT_GNU_IFUNC:
      return SymbolKind::kIfunc;
    default:
      return SymbolKind::kData;  // labels too: nothing says that they begin a function
  }
}

// .symtab has no version section: linkers write the version into the name.
void split_version(Symbol& symbol) {
  const size_t at = symbol.name.find('@');
  if (at == std::string::npos || at == 0) return;
  const bool is_default = symbol.name.compare(at, 2, "@@") == 0;
  symbol.version = symbol.name.substr(at + (is_default ? 2 : 1));
  symbol.default_version = is_default || symbol.kind == SymbolKind::kImport;
  symbol.name.resize(at);
}

auto order(const Symbol& s) {
  // Of one name at one address: the version first, then what others can see.
  return std::make_tuple(s.vaddr, std::string_view(s.name), s.kind, s.version.empty(),
                         std::string_view(s.version), !s.global);
}

bool same(const Symbol& a, const Symbol& b) {
  return a.vaddr == b.vaddr && a.name == b.name && a.kind == b.kind &&
         (a.version == b.version || b.version.empty());
}

}  // namespace

Result<void> append_symbols(const ElfFile& file, const Section& table,
                            const std::vector<Image::Range>& text, std::vector<Symbol>& out) {
  if (table.header.sh_entsize != sizeof(Elf64_Sym))
    return file.damaged(fmt::format("section {} has entries of {} bytes, {} expected", table.name,
                                    table.header.sh_entsize, sizeof(Elf64_Sym)));
  if (table.header.sh_size % sizeof(Elf64_Sym) != 0)
    return file.damaged(fmt::format("section {} ends inside a symbol", table.name));
  auto bytes = file.bytes(table, limits::kSymbols * sizeof(Elf64_Sym));
  if (!bytes) return Unexpected(bytes.error());
  auto strings = file.linked_strings(table);
  if (!strings) return Unexpected(strings.error());
  const bool dynamic = table.header.sh_type == SHT_DYNSYM;
  auto versions = dynamic ? Versions::read(file) : Result<Versions>(Versions{});
  if (!versions) return Unexpected(versions.error());

  const size_t count = bytes->size() / sizeof(Elf64_Sym);
  out.reserve(out.size() + count);
  uint64_t name_bytes = 0;
  for (size_t i = 1; i < count; ++i) {
    const auto raw = *value_at<Elf64_Sym>(*bytes, i * sizeof(Elf64_Sym));
    const unsigned type = ELF64_ST_TYPE(raw.st_info);
    // Absolute symbols are values, such as the names of versions, not places.
    if (raw.st_name == 0 || raw.st_shndx == SHN_ABS || type == STT_SECTION || type == STT_FILE)
      continue;
    const auto name = text_at(*strings, raw.st_name);
    if (!name)
      return file.damaged(
          fmt::format("the name of symbol {} of {} lies outside its strings", i, table.name));
    if (name->empty() || name->size() > kRawNameBytes || is_mapping_symbol(*name)) continue;
    name_bytes += name->size();
    if (name_bytes > kAllNameBytes)
      return file.damaged(
          fmt::format("the names of {} take more than {} MiB", table.name, kAllNameBytes >> 20));

    const Image::Range* range = range_of(text, raw.st_value);
    Symbol symbol;
    symbol.name = *name;
    symbol.kind = kind_of(raw, range != nullptr);
    symbol.global = ELF64_ST_BIND(raw.st_info) != STB_LOCAL;
    if (symbol.kind != SymbolKind::kImport && type != STT_TLS) {
      symbol.vaddr = raw.st_value;
      symbol.size =
          range ? std::min(raw.st_size, range->vaddr + range->size - raw.st_value) : raw.st_size;
    }
    if (dynamic) {
      const auto version = versions->of(i);
      symbol.version = version.name;
      symbol.default_version = !version.hidden || symbol.kind == SymbolKind::kImport;
    } else {
      split_version(symbol);
    }
    out.push_back(std::move(symbol));
  }
  return {};
}

void merge_symbols(std::vector<Symbol>& symbols) {
  std::sort(symbols.begin(), symbols.end(),
            [](const Symbol& a, const Symbol& b) { return order(a) < order(b); });
  size_t kept = 0;
  for (size_t i = 0; i < symbols.size(); ++i) {
    if (kept > 0 && same(symbols[kept - 1], symbols[i])) {
      symbols[kept - 1].size = std::max(symbols[kept - 1].size, symbols[i].size);
      symbols[kept - 1].global |= symbols[i].global;
      continue;
    }
    if (kept != i) symbols[kept] = std::move(symbols[i]);
    ++kept;
  }
  symbols.erase(symbols.begin() + std::ptrdiff_t(kept), symbols.end());
  symbols.shrink_to_fit();
  for (Symbol& symbol : symbols) symbol.demangled = demangle(symbol.name);
}

}  // namespace compmond::elf
