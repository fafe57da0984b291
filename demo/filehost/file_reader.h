// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "filehost/request.h"

namespace fh {

// Reads encrypted files from the disk.
class FileReader {
 public:
  // in
  Bytes read(const std::string& path, uint32_t size, Duration disk);

 private:
  // out: to the kernel
  void fetch_block(Bytes& into, size_t from, Duration disk);
};

}  // namespace fh
