// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "filehost/request.h"

namespace fh {

// Lists folders.
class DirReader {
 public:
  // in
  std::vector<std::string> list(const std::string& folder, uint32_t entries, Duration disk);

 private:
  // out: to the kernel
  void read_block(const std::string& folder, uint32_t end, std::vector<std::string>& names);
};

}  // namespace fh
