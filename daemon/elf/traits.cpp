// SPDX-License-Identifier: Apache-2.0
#include "elf/traits.h"

#include <algorithm>
#include <array>

#include "elf/links.h"

namespace compmond::elf {
namespace {

constexpr uint64_t kCommentBytes = 1u << 20;  // a line per compiler

template <size_t N>
bool one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Of the C++ runtime, but no sign of exceptions: every shared object has __cxa_finalize, C programs
// too can have
// __cxa_atexit, and the others do not unwind.
constexpr std::array<std::string_view, 9> kHarmless = {
    "__cxa_finalize",       "__cxa_atexit",
    "__cxa_at_quick_exit",  "__cxa_thread_atexit",
    "__cxa_pure_virtual",   "__cxa_deleted_virtual",
    "__cxa_demangle",       "__cxa_thread_atexit_impl",
    "__cxa_finalize_ranges"};

constexpr std::array<std::string_view, 3> kForcedUnwind = {"pthread_exit", "pthread_cancel",
                                                           "thrd_exit"};
constexpr std::array<std::string_view, 3> kStackSwitches = {"swapcontext", "makecontext",
                                                            "setcontext"};

// Exceptions may also pass through a C++ function that has neither a handler nor anything to
// destroy, and so no table: C++ code counts as unwinding.
bool unwinds(std::string_view name) {
  if (name.starts_with("_Z") || name.starts_with("_R") || name.starts_with("_Unwind_")) return true;
  if (name.starts_with("__cxa_")) return !one_of(name, kHarmless);
  return name.find("_personality_v") != name.npos || name == "rust_eh_personality";
}

// Boost.Context's jump_fcontext, make_fcontext, ontop_fcontext, and its copies under other
// prefixes.
bool is_fcontext(std::string_view name) { return name.find("fcontext") != name.npos; }

bool is_rust(std::string_view name) {
  if (name.starts_with("_R") || name == "rust_eh_personality" || name.starts_with("__rust_"))
    return true;
  // Legacy: the last part of the mangled path is a hash, 17h and 16 hex digits.
  constexpr size_t kHash = 20;  // "17h", digits, "E"
  if (!name.starts_with("_ZN") || name.size() < kHash + 3 || name.back() != 'E') return false;
  const std::string_view hash = name.substr(name.size() - kHash, kHash - 1);
  return hash.starts_with("17h") && hash.find_first_not_of("0123456789abcdef", 3) == hash.npos;
}

bool links_libraries(const ElfFile& file) {
  return std::ranges::count(dynamic_entries(file), DT_NEEDED, &Elf64_Dyn::d_tag) > 0;
}

constexpr uint64_t kNoteBytes = 1u << 20;  // usual ones have less than 200 bytes
constexpr size_t kBuildIdBytes = 64;       // usual: 20 (SHA-1)
constexpr uint32_t kGoBuildId = 4;

uint64_t aligned(uint64_t size, uint64_t alignment) {
  return (size + alignment - 1) & ~(alignment - 1);
}

std::string hex(Bytes bytes) {
  std::string out;
  for (const uint8_t byte : bytes) out += fmt::format("{:02x}", byte);
  return out;
}

void scan_notes(Bytes bytes, uint64_t alignment, ElfNotes& notes) {
  if (alignment != 8) alignment = 4;
  uint64_t offset = 0;
  while (const auto header = value_at<Elf64_Nhdr>(bytes, offset)) {
    const uint64_t name = offset + sizeof *header;
    const uint64_t content = aligned(name + header->n_namesz, alignment);
    const uint64_t end = content + header->n_descsz;
    if (end > bytes.size()) return;
    const std::string_view owner(reinterpret_cast<const char*>(bytes.data() + name),
                                 header->n_namesz);
    if (owner == std::string_view("GNU", 4) && header->n_type == NT_GNU_BUILD_ID &&
        notes.build_id.empty() && header->n_descsz <= kBuildIdBytes)
      notes.build_id = hex(bytes.subspan(content, header->n_descsz));
    if (owner == std::string_view("Go\0", 4) && header->n_type == kGoBuildId) notes.go = true;
    offset = aligned(end, alignment);
  }
}

bool made_by_rustc(const ElfFile& file) {
  const Section* comment = file.section(".comment");
  if (!comment) return false;
  const auto bytes = file.bytes(*comment, kCommentBytes);
  if (!bytes) return false;
  const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  return text.find("rustc version") != text.npos;
}

}  // namespace

ElfNotes read_notes(const ElfFile& file) {
  ElfNotes notes;
  for (const Section& section : file.sections())
    if (section.header.sh_type == SHT_NOTE)
      if (auto bytes = file.bytes(section, kNoteBytes))
        scan_notes(*bytes, section.header.sh_addralign, notes);
  if (!file.sections().empty()) return notes;
  for (const Elf64_Phdr& segment : file.segments())
    if (segment.p_type == PT_NOTE)
      if (auto bytes = file.bytes(segment.p_offset, segment.p_filesz, "a note segment", kNoteBytes))
        scan_notes(*bytes, segment.p_align, notes);
  return notes;
}

RiskTraits read_traits(const ElfFile& file, const ElfNotes& notes,
                       const std::vector<Symbol>& symbols) {
  RiskTraits traits;
  traits.go = notes.go;
  for (const Section& section : file.sections()) {
    const std::string_view name = section.name;
    if (name.starts_with(".gcc_except_table")) traits.unwinds = true;
    if (name.ends_with(".gopclntab") || name == ".go.buildinfo" || name == ".note.go.buildid")
      traits.go = true;
  }
  traits.rust = made_by_rustc(file);
  // A static executable imports nothing: what it defines it was linked with because it uses it.
  const bool is_static = !links_libraries(file);
  for (const Symbol& symbol : symbols) {
    const std::string_view name = symbol.name;
    traits.unwinds |= unwinds(name);
    traits.rust |= is_rust(name);
    traits.switches_stacks |= is_fcontext(name);
    if (!is_static && symbol.kind != SymbolKind::kImport) continue;
    traits.forced_unwind |= one_of(name, kForcedUnwind);
    traits.switches_stacks |= one_of(name, kStackSwitches);
    traits.signal_stack |= name == "sigaltstack";
  }
  return traits;
}

Protector protector_of(const ElfFile& file) {
  std::array<char, 1024> head{};  // behind the program headers: where UPX has its name
  const size_t size = file.read(head.data(), head.size(), 0);
  if (std::string_view(head.data(), size).find("UPX!") != std::string_view::npos)
    return Protector::kUpx;
  const auto is_its = [](const Section& one) { return one.name.starts_with(".vmp"); };
  return std::ranges::any_of(file.sections(), is_its) ? Protector::kVmProtect : Protector::kNone;
}

}  // namespace compmond::elf
