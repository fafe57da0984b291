// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "base/fd.h"
#include "plan/plan.h"
#include "run/notes.h"

namespace compmond::run {

// Notices that an observed file was replaced, deleted or written to since it was opened: probes
// belong to the file that was read, so what runs from its name afterwards is not observed. Looks at
// the open files themselves, which takes no rights.
class FileWatch {
 public:
  // `by_name`: processes that come later are observed by the name of their program.
  FileWatch(const std::vector<plan::PlannedImage>& images, bool by_name);
  // From then on observed processes may execute another file in its place.
  struct Missed {
    int image = 0;  // index in the plan's
    uint64_t since_ns = 0;
  };
  // Adds a note for each file, once; looks at most once a second. Returns what may be
  // missed since the last time.
  std::vector<Missed> look(uint64_t now_ns, Notes& notes);

 private:
  struct Watched {
    int image = 0;
    std::shared_ptr<const Fd> file;
    std::string path;
    timespec written{}, changed{};
    bool stacked = false;  // a copy gets another inode below, and keeps its name, number and times
    bool told = false;
  };
  bool by_name_;
  std::vector<Watched> files_;
  uint64_t looked_ns_ = 0;
};

}  // namespace compmond::run
