// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "filehost/file_reader.h"
#include "filehost/request.h"

namespace fh {

// Gets a file from the reader and decrypts it.
class FileDecrypter {
 public:
  explicit FileDecrypter(FileReader& reader) : reader_(reader) {}
  // in
  Bytes decrypt(const std::string& path, uint32_t size, Duration disk);

 private:
  // out
  Bytes read_encrypted(const std::string& path, uint32_t size, Duration disk);

  FileReader& reader_;
};

}  // namespace fh
