// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace compmond::elf {

enum class SymbolKind : uint8_t {
  kFunction,  // defined, executable, can be observed
  kIfunc,     // STT_GNU_IFUNC: the symbol is a resolver, not the function
  kData,      // defined, but not code; also labels that nothing says are functions, and functions
              // outside the code
  kImport,    // undefined here: lives in another image
};

struct Symbol {
  std::string name;             // raw, without version
  std::string demangled;        // C++ or Rust name, or equal to `name`
  std::string version;          // "GLIBC_2.14", or empty
  bool default_version = true;  // false for name@VERSION (as opposed to name@@VERSION)
  SymbolKind kind = SymbolKind::kFunction;
  bool global = false;  // not STB_LOCAL
  uint64_t vaddr = 0;   // as in the file, before relocation
  uint64_t size = 0;    // bytes; 0 when the file does not say
};

// Facts about an image that decide how exits may be observed (docs/decisions/0001).
struct RiskTraits {
  // .gcc_except_table, a personality routine, _Unwind_* or __cxa_* that has to do with exceptions,
  // or any C++ or Rust name: exceptions also pass through functions that have no table. False for C
  // with mere frame descriptions.
  bool unwinds = false;
  // Imports of pthread_exit, pthread_cancel, thrd_exit. Here and below, a program that links no
  // library counts with what it defines.
  bool forced_unwind = false;
  // swapcontext, makecontext, setcontext; *fcontext* imported or defined.
  bool switches_stacks = false;
  bool signal_stack = false;  // sigaltstack
  bool go = false;            // .gopclntab or a Go build id
  bool rust = false;          // Rust names, or the compiler's note
};

// One ELF file, opened once: everything from reading symbols to attaching goes through its
// descriptor. The file is treated as hostile: every offset is checked, every count is bounded by
// limits.h. Immutable after open; safe to read from several threads.
class Image {
 public:
  // `path` is for people and for finding separate debug files. `root` is the target's root folder
  // ("/proc/PID/root" or "") under which debug files are looked up, by build id and by debuglink.
  // Fails with Exit::kData when the file is not an x86-64 ELF executable or library, or is
  // malformed.
  static Result<Image> open(Fd fd, std::string path, const std::string& root = {});
  // As above, for who may not open files: separate debug files come from `debug_files`, which gets
  // a path below the target's root and gives an empty descriptor when there is none.
  using DebugFiles = std::function<Fd(const std::string& path)>;
  static Result<Image> open(Fd fd, std::string path, const DebugFiles& debug_files);

  Image(Image&&) noexcept;
  Image& operator=(Image&&) noexcept;
  ~Image();

  const Fd& fd() const;
  const std::string& path() const;
  const std::string& build_id() const;  // lowercase hex, or empty
  uint64_t device() const;              // st_dev
  uint64_t inode() const;
  const RiskTraits& traits() const;
  const std::string& debug_path()
      const;  // the separate debug file that symbols were read from, or empty

  // No table of symbols, neither its own nor elsewhere: only what it exports and imports has names.
  bool stripped() const;

  // All symbols with a name, merged from .symtab (else the debug file's, else that of
  // .gnu_debugdata: debug_file.h) and .dynsym, each (name,
  // version, kind, vaddr) once, sorted by vaddr. Mapping symbols, section, file and absolute
  // symbols are left out, and names longer than 64 KiB. Sizes end with the segment. Imports and
  // thread-local data have the address 0.
  const std::vector<Symbol>& symbols() const;

  // File offset of a virtual address through PT_LOAD; an error when no executable segment holds it.
  Result<uint64_t> file_offset(uint64_t vaddr) const;

  // Copies up to `size` bytes of code at `vaddr` (fewer at the segment's end).
  Result<std::vector<uint8_t>> code(uint64_t vaddr, uint64_t size) const;

  // Executable PT_LOAD ranges [vaddr, vaddr+size), in order.
  struct Range {
    uint64_t vaddr = 0;
    uint64_t size = 0;
  };
  const std::vector<Range>& text() const;

  // Bytes of the function that begins at `vaddr` as .eh_frame has it, for symbols without a size; 0
  // when unknown. The first call reads the section.
  uint64_t fde_size(uint64_t vaddr) const;
  // All that .eh_frame describes, by address.
  std::vector<Range> described() const;

 private:
  struct Impl;
  explicit Image(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Demangles an Itanium C++ or Rust (legacy, v0) name, without a template function's return type;
// cut with "…" at limits::kNameBytes. Returns the input when it is neither.
std::string demangle(const std::string& name);

}  // namespace compmond::elf
