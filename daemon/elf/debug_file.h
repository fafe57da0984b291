// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/fd.h"
#include "elf/elf_file.h"

namespace compmond::elf {

struct DebugFile {
  std::string path;  // below the root
  Fd fd;
  ElfFile file;
};

// The separate debug file of `main`, which lies at `path`: by build id, else by .gnu_debuglink in
// the places where debuggers look. `root` is the root folder under which all these are looked up;
// no symbolic link leads out of it. A file with another build id, a wrong checksum, or without
// .symtab is passed over.
std::optional<DebugFile> find_debug_file(const ElfFile& main, const std::string& build_id,
                                         const std::string& path, const std::string& root);

}  // namespace compmond::elf
