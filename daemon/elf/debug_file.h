// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/fd.h"
#include "elf/elf_file.h"
#include "elf/image.h"

namespace compmond::elf {

struct DebugFile {
  std::string path;  // below the root
  Fd fd;
  ElfFile file;
};

// The separate debug file of `main`, which lies at `path`: by build id, else by .gnu_debuglink in
// the places where debuggers look. `open` opens them, below the target's root. A file with another
// build id, a wrong checksum, or without .symtab is passed over.
std::optional<DebugFile> find_debug_file(const ElfFile& main, const std::string& build_id,
                                         const std::string& path, const Image::DebugFiles& open);

// What a stripped file still says of its own functions: MiniDebugInfo, an ELF file that is
// compressed with xz, in its section .gnu_debugdata. It has those of .symtab that are not in
// .dynsym (GDB's manual, "Debugging information in a special section"). Nothing where there is
// none, where it is damaged, or where it would take more than `most_bytes`. Calls `step` at least
// every few ten milliseconds.
std::optional<ElfFile> find_embedded_file(
    const ElfFile& main, size_t most_bytes, const std::function<void()>& step = [] {});

// Whether debuggers look at `candidate` for the debug file of the image at `path`. Both are
// absolute paths below the target's root.
bool is_debug_place(const std::string& candidate, const std::string& path);

// Opens a regular file for reading; no symbolic link leads out of the folder `root` ("" is "/").
// Empty when there is none.
Fd open_below_root(const std::string& root, const std::string& path);

}  // namespace compmond::elf
