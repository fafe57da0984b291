// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace compmond {

// Tells on stderr how far something is that takes longer than a second: on a terminal in a line
// that is redrawn, elsewhere a line every ten seconds. The line is gone when this is destroyed.
class Progress {
 public:
  explicit Progress(std::string doing);  // "reading"
  ~Progress();
  void update(double share);  // 0 to 1
  void update(size_t done, size_t of) { update(double(done) / double(of)); }

 private:
  std::string doing_;
  bool terminal_;
  bool shown_ = false;
  uint64_t next_ns_;
};

}  // namespace compmond
