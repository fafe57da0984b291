// SPDX-License-Identifier: Apache-2.0
#include "filehost/file_reader.h"

#include <algorithm>
#include <thread>

#include "filehost/cipher.h"

namespace fh {
namespace {

constexpr size_t kReadAtOnce = 64 * 1024;

}  // namespace

Bytes FileReader::read(const std::string& path, uint32_t size, Duration disk) {
  Bytes content(size, static_cast<uint8_t>(key_of(path)));
  const auto blocks = static_cast<int64_t>((size + kReadAtOnce - 1) / kReadAtOnce);
  for (size_t from = 0; from < content.size(); from += kReadAtOnce) {
    fetch_block(content, from, disk / blocks);
  }
  return content;
}

void FileReader::fetch_block(Bytes& into, size_t from, Duration disk) {
  std::this_thread::sleep_for(disk);
  const size_t end = std::min(from + kReadAtOnce, into.size());
  for (size_t i = from; i < end; i += 512) into[i] = static_cast<uint8_t>(i);
}

}  // namespace fh
