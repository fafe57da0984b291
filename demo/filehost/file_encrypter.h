// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "filehost/fs_writer.h"
#include "filehost/request.h"

namespace fh {

// Encrypts a file and hands it on to the writer, if there is one.
class FileEncrypter {
 public:
  explicit FileEncrypter(FSWriter* writer) : writer_(writer) {}
  // in
  uint64_t encrypt(File& file, Duration disk);

 private:
  // out
  uint64_t write_encrypted(const File& file, Duration disk);

  FSWriter* writer_;
};

}  // namespace fh
