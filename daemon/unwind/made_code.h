// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/fd.h"
#include "sampling/sample.h"
#include "unwind/perf_map.h"

namespace compmond::unwind {

constexpr uint64_t kFirstMadePlace = uint64_t(1) << 48;  // 0 stands for what is not known

// Names the code that processes make at run time, which belongs to no file, by their perf maps.
// These grow, and are read on as frames are met. One thread.
class MadeCode {
 public:
  // Of a process's perf map, for people: it was read so far, the first time that something of it is
  // left out.
  struct Report {
    uint32_t pid = 0;
    uint64_t lines = 0, skipped = 0;
    bool cut = false;  // what follows is not read
  };
  // `step` is called while a perf map is read, with its process, and with 0 afterwards.
  struct Outside {
    std::function<void(uint32_t pid)> step = [](uint32_t) {};
    std::function<void(const Report& report)> report = [](const Report&) {};
  };
  explicit MadeCode(Outside outside) : outside_(std::move(outside)) {}

  // Replaces what was told before. Code has places in `image`, from `first` on or behind those that
  // have been given.
  void tell(uint32_t pid, sampling::ImageNumber image, uint64_t first, Fd file);
  void fork(uint32_t parent, uint32_t child);
  void forget(uint32_t pid);
  // Frames of no file that a perf map knows become such of the image; functions that are met for
  // the first time are appended to `met`. What one address holds changes in time, so each function
  // has a place of its own in the image, in the order in which they are met.
  void name(uint32_t pid, uint64_t time_ns, std::vector<sampling::Frame>& frames,
            std::vector<sampling::Function>& met);

 private:
  struct File {
    sampling::ImageNumber image = sampling::kNoImage;
    Fd fd;
    PerfMap map{0};
    uint64_t read = 0;     // bytes of it
    std::string last;      // the last of these: where they differ, it was written anew
    uint64_t next_ns = 0;  // not read on before
    bool reported = false, reported_cut = false;
  };
  static bool goes_on(const File& file, uint64_t size);
  void read_on(uint32_t pid, File& file);
  void report(uint32_t pid, File& file, bool cut);

  Outside outside_;
  std::unordered_map<uint32_t, std::shared_ptr<File>> files_;  // a child has its parent's
  uint64_t next_place_ = 0;
  size_t functions_ = 0;
};

}  // namespace compmond::unwind
