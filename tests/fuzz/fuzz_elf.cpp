// SPDX-License-Identifier: Apache-2.0
// elf::Image, elf::FunctionTable, links and restartable sequences on any file: what opens keeps the
// promises of image.h, pattern.h, function_table.h, links.h and restartable.h.
#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include "bytes.h"
#include "check.h"
#include "core/limits.h"
#include "elf/elf_file.h"
#include "elf/function_table.h"
#include "elf/image.h"
#include "elf/links.h"
#include "memory_file.h"
#include "names/pattern.h"
#include "patches/restartable.h"

namespace compmond::fuzz {
namespace {

using elf::Image;
using elf::Symbol;
using elf::SymbolKind;

// No such folder: a result must depend on the input alone, not on this machine's debug files.
constexpr const char* kRoot = "/nonexistent";

bool in_text(const Image& image, uint64_t vaddr, uint64_t size) {
  return std::ranges::any_of(image.text(), [&](const Image::Range& range) {
    return vaddr >= range.vaddr && vaddr - range.vaddr < range.size &&
           size <= range.size - (vaddr - range.vaddr);
  });
}

void check_text(const Image& image, uint64_t file_size) {
  uint64_t end = 0;
  for (const Image::Range& range : image.text()) {
    FUZZ_CHECK(range.size > 0 && range.vaddr >= end);
    end = range.vaddr + range.size;
    for (const uint64_t vaddr : {range.vaddr, end - 1}) {
      const auto offset = image.file_offset(vaddr);
      FUZZ_CHECK(offset.has_value() && *offset < file_size);
      const auto code = image.code(vaddr, 16);
      FUZZ_CHECK(code.has_value() && code->size() == std::min<uint64_t>(16, end - vaddr));
    }
  }
}

void check_symbol(const Image& image, const Symbol& symbol) {
  FUZZ_CHECK(!symbol.name.empty() && symbol.name.size() <= 64 * 1024);
  FUZZ_CHECK(!symbol.demangled.empty());
  if (symbol.kind == SymbolKind::kImport) FUZZ_CHECK(symbol.vaddr == 0);
  if (symbol.kind != SymbolKind::kFunction) return;
  FUZZ_CHECK(in_text(image, symbol.vaddr, symbol.size));
  FUZZ_CHECK(image.file_offset(symbol.vaddr).has_value());
  FUZZ_CHECK(in_text(image, symbol.vaddr, image.fde_size(symbol.vaddr)));
}

void check_symbols(const Image& image) {
  std::set<std::tuple<std::string, std::string, SymbolKind, uint64_t>> seen;
  uint64_t last = 0;
  for (const Symbol& symbol : image.symbols()) {
    FUZZ_CHECK(symbol.vaddr >= last);
    last = symbol.vaddr;
    FUZZ_CHECK(seen.emplace(symbol.name, symbol.version, symbol.kind, symbol.vaddr).second);
    check_symbol(image, symbol);
  }
}

void check_find(const Image& image, const std::string& text) {
  const auto pattern = names::Pattern::compile(text);
  if (!pattern) return;
  const names::Matches matches = names::find(image, *pattern);
  std::set<uint64_t> addresses;
  for (const Symbol* symbol : matches.functions) {
    FUZZ_CHECK(symbol->kind == SymbolKind::kFunction && pattern->matches(*symbol));
    FUZZ_CHECK(addresses.insert(symbol->vaddr).second);
  }
  for (const auto& rejected : matches.rejected)
    FUZZ_CHECK(rejected.symbol && !rejected.reason.empty());
  FUZZ_CHECK(names::nearest(image, *pattern, 3).size() <= 3);
}

void check_links(const Image& image) {
  const auto links = elf::read_links(image);
  FUZZ_CHECK(links || links.error().code == Exit::kData);
  const auto slots = elf::read_slots(image);
  FUZZ_CHECK(slots || slots.error().code == Exit::kData);
  if (!slots) return;
  for (const auto& [vaddr, name] : *slots) FUZZ_CHECK(!name.empty());
}

void check_restartable(const Image& image) {
  uint64_t end = 0;
  for (const Image::Range& range : inprocess::restartable_code(image)) {
    FUZZ_CHECK(range.size > 0 && range.vaddr >= end);
    end = range.vaddr + range.size;
  }
}

void check_image(const Image& image, uint64_t file_size) {
  const auto hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  FUZZ_CHECK(std::ranges::all_of(image.build_id(), hex));
  FUZZ_CHECK(image.debug_path().empty());
  check_text(image, file_size);
  check_symbols(image);
  check_links(image);
  check_restartable(image);
  for (const char* text : {"*", "main", "a*", "re:[a-m].*", "f@V1", "ns::*(int)"})
    check_find(image, text);
  if (!image.symbols().empty()) check_find(image, image.symbols().back().name);
}

// Around `vaddr`, within its bounds.
void check_function(elf::FunctionTable& table, uint64_t vaddr) {
  const auto found = table.find(vaddr);
  if (!found) return;
  FUZZ_CHECK(found->start <= vaddr && vaddr < found->end);
  FUZZ_CHECK(found->name.size() <= limits::kFunctionNameBytes);
}

void check_functions(std::span<const uint8_t> data) {
  const Fd file = file_of(data);
  constexpr size_t kMost = 1000;
  const auto none = [](const std::string&) { return Fd(); };
  constexpr size_t kMostBytes = 1 << 20;
  elf::FunctionTable table(file, "input", none, {kMost, kMostBytes}, [] {});
  FUZZ_CHECK(table.symbols() <= kMost && table.embedded_bytes() <= kMostBytes);
  for (const uint64_t vaddr : {uint64_t(0), uint64_t(0x1000), ~uint64_t(0)})
    check_function(table, vaddr);
  const auto headers = elf::ElfFile::open(file.get(), "input");
  if (!headers) return;
  for (const Elf64_Phdr& segment : headers->segments())
    for (uint64_t i = 0; i < 200; ++i) check_function(table, segment.p_vaddr + i * 7);
}

}  // namespace
}  // namespace compmond::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compmond;
  fuzz::check_functions({data, size});
  const auto image = elf::Image::open(fuzz::file_of({data, size}), "input", fuzz::kRoot);
  if (image)
    fuzz::check_image(*image, size);
  else
    FUZZ_CHECK(image.error().code == Exit::kData && !image.error().why.empty());
  return 0;
}
