// SPDX-License-Identifier: Apache-2.0
#include "run/file_watch.h"

#include <fmt/format.h>
#include <sys/stat.h>

namespace compmond::run {
namespace {

constexpr uint64_t kLookNs = 1'000'000'000;

bool same(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

}  // namespace

FileWatch::FileWatch(const std::vector<plan::PlannedImage>& images) {
  for (const plan::PlannedImage& image : images) {
    struct stat st {};
    if (image.file && ::fstat(image.file->get(), &st) == 0)
      files_.push_back({image.file, image.path, st.st_mtim, false});
  }
}

void FileWatch::look(uint64_t now_ns, Notes& notes) {
  if (now_ns < next_ns_) return;
  next_ns_ = now_ns + kLookNs;
  for (Watched& one : files_) {
    struct stat st {};
    if (one.told || ::fstat(one.file->get(), &st) != 0) continue;
    if (st.st_nlink == 0)
      notes.add(
          fmt::format("{} was replaced or deleted: what runs from now on under this name is "
                      "another file, whose "
                      "calls are not counted; start compmond again to observe it",
                      one.path));
    else if (!same(st.st_mtim, one.written))
      notes.add(fmt::format(
          "{} was written to: its probes may stand at wrong places; start compmond again",
          one.path));
    else
      continue;
    one.told = true;
  }
}

}  // namespace compmond::run
