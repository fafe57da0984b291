// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "filehost/request.h"

namespace fh {

// Puts encrypted files on the disk.
class FSWriter {
 public:
  // in
  uint64_t write(const File& file, Duration disk);

 private:
  // out: to the kernel
  void sync(Duration disk);
};

}  // namespace fh
