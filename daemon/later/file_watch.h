// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/fd.h"
#include "plan/plan.h"
#include "prepare/resolve.h"
#include "sampling/sample.h"
#include "spec/model.h"

namespace compmond::later {

// Notices that processes execute other files than those that were read, or may from now on: probes
// belong to these, so what runs of others is not observed. One was replaced, deleted or written to,
// which the open files themselves tell, and that takes no rights; or a process maps another one
// that the spec names, which samples tell.
class FileWatch {
 public:
  // Borrowed. `by_name`: processes that come later are observed by the name of their program.
  FileWatch(const spec::Spec& spec, const prepare::Resolved& resolved, bool by_name);
  // Operations that observed processes may call unseen from then on.
  struct Missed {
    std::vector<size_t> operations;
    uint64_t since_ns = 0;
  };
  using Tell = std::function<void(std::string)>;  // what a reader of the figures should know
  // Tells of each file once; looks at most once a second, but for the last time.
  std::vector<Missed> look(uint64_t now_ns, const Tell& tell, bool last);
  // Whether the file is among those that the plan was made from, or is none.
  bool knows(const sampling::Image& image) const;
  // An observed process executes code of this file, which is not known. Tells where the spec names
  // it.
  Missed meet(const sampling::Image& image, uint64_t now_ns, const Tell& tell) const;

 private:
  struct Watched {
    int image = 0;
    std::shared_ptr<const Fd> file;
    std::string path;
    timespec written{}, changed{};
    bool stacked = false;  // a copy gets another inode below, and keeps its name, number and times
    bool told = false;     // or not to be told
  };
  const spec::Spec& spec_;
  const prepare::Resolved& resolved_;
  bool by_name_;
  std::vector<Watched> files_;
  uint64_t looked_ns_ = 0;
};

}  // namespace compmond::later
