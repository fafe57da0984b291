// SPDX-License-Identifier: Apache-2.0
#include "filehost/file_decrypter.h"

#include "filehost/cipher.h"

namespace fh {

Bytes FileDecrypter::decrypt(const std::string& path, uint32_t size, Duration disk) {
  Bytes content = read_encrypted(path, size, disk);
  apply_key_stream(content, key_of(path));
  return content;
}

Bytes FileDecrypter::read_encrypted(const std::string& path, uint32_t size, Duration disk) {
  Bytes content = reader_.read(path, size, disk);
  if (content.size() != size) throw std::runtime_error("short read: " + path);
  return content;
}

}  // namespace fh
