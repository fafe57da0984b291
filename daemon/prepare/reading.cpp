// SPDX-License-Identifier: Apache-2.0
#include "prepare/reading.h"

#include <unistd.h>

#include <array>
#include <cstring>

#include "elf/debug_file.h"

namespace compmond::prepare {

Fd open_debug_file(const std::vector<ImageFile>& files, uint32_t where, const std::string& path) {
  if (where >= files.size() || !elf::is_debug_place(path, files[where].path)) return Fd();
  Fd file = elf::open_below_root(files[where].root, path);
  std::array<char, 4> magic{};
  const bool whole = file.valid() && ::pread(file.get(), magic.data(), magic.size(), 0) == 4;
  return whole && std::memcmp(magic.data(),
                              "\x7f"
                              "ELF",
                              4) == 0
             ? std::move(file)
             : Fd();
}

std::vector<int> descriptors(const std::vector<ImageFile>& files) {
  std::vector<int> out;
  for (const ImageFile& file : files)
    if (file.fd) out.push_back(file.fd->get());
  return out;
}

}  // namespace compmond::prepare
