// SPDX-License-Identifier: Apache-2.0
#include "filehost/dir_reader.h"

#include <algorithm>
#include <thread>

#include "filehost/cipher.h"

namespace fh {
namespace {

constexpr uint32_t kBlock = 32;  // entries that the kernel hands out at a time

}  // namespace

std::vector<std::string> DirReader::list(const std::string& folder, uint32_t entries,
                                         Duration disk) {
  std::this_thread::sleep_for(disk);
  std::vector<std::string> names;
  while (names.size() < entries) read_block(folder, entries, names);
  std::sort(names.begin(), names.end());
  return names;
}

void DirReader::read_block(const std::string& folder, uint32_t end,
                           std::vector<std::string>& names) {
  const auto from = static_cast<uint32_t>(names.size());
  for (uint32_t i = from; i < std::min(end, from + kBlock); ++i) {
    names.push_back(folder + std::to_string(key_of(folder + std::to_string(i)) % 100000));
  }
}

}  // namespace fh
