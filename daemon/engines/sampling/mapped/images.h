// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "sampling/sample.h"
#include "target/process.h"

namespace compmond::sampler {

// Opens exactly the file that the process maps, in the best way that our rights allow.
Result<Fd> open_mapped_file(pid_t pid, const target::Mapping& mapping);

// The files that code of observed processes comes from, each once. They stay open, so that an inode
// stands for one file throughout the run, also after it was deleted. Any thread.
class Images {
 public:
  using Open = std::function<Result<Fd>(pid_t, const target::Mapping&)>;
  explicit Images(Open open = open_mapped_file);

  // What the memory at `mapping` of process `pid` belongs to.
  sampling::ImageNumber number_of(pid_t pid, const target::Mapping& mapping);
  // Of code that processes make at run time, which is in no file: "[jit]".
  sampling::ImageNumber made_code();
  // Those met since the last call, by number; they live as long as this.
  std::vector<const sampling::Image*> take_new();
  std::vector<std::string> notes() const;  // which could not be opened, and why

 private:
  using Identity = std::pair<uint64_t, uint64_t>;  // device, inode
  sampling::ImageNumber add(sampling::Image one);
  sampling::ImageNumber add_vdso();
  sampling::ImageNumber add_file(pid_t pid, const target::Mapping& mapping);

  Open open_;
  mutable std::mutex mutex_;  // of all below
  std::deque<sampling::Image> all_;
  size_t taken_ = 0;
  bool has_vdso_ = false;
  sampling::ImageNumber made_code_ = sampling::kNoImage;
  sampling::ImageNumber next_ = sampling::kFirstFile;
  // As mappings name them, and as the files themselves do: these differ on stacked file systems.
  std::map<Identity, sampling::ImageNumber> by_mapping_, by_file_;
  std::vector<std::string> unopened_;
  size_t more_unopened_ = 0;
};

}  // namespace compmond::sampler
