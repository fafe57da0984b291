// SPDX-License-Identifier: Apache-2.0
#include "run/file_watch.h"

#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <utility>

namespace compmond::run {
namespace {

constexpr uint64_t kLookNs = 1'000'000'000;

bool same(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool is_stacked(const Fd& file) {
  struct statfs info {};
  return ::fstatfs(file.get(), &info) == 0 && uint32_t(info.f_type) == OVERLAYFS_SUPER_MAGIC;
}

}  // namespace

FileWatch::FileWatch(const std::vector<plan::PlannedImage>& images, bool by_name)
    : by_name_(by_name) {
  for (size_t i = 0; i < images.size(); ++i) {
    const plan::PlannedImage& image = images[i];
    struct stat st {};
    if (image.file && ::fstat(image.file->get(), &st) == 0)
      files_.push_back(
          {int(i), image.file, image.path, st.st_mtim, st.st_ctim, is_stacked(*image.file), false});
  }
}

std::vector<FileWatch::Missed> FileWatch::look(uint64_t now_ns, Notes& notes) {
  std::vector<Missed> out;
  if (now_ns < looked_ns_ + kLookNs) return out;
  const uint64_t before_ns = std::exchange(looked_ns_, now_ns);
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
    else if (one.stacked && !same(st.st_ctim, one.changed))
      notes.add(fmt::format(
          "{} was changed on an overlay file system, which may have copied it: what runs from now "
          "on under this name may be another file, whose calls are not counted; start compmond "
          "again to observe it",
          one.path));
    else
      continue;
    one.told = true;
    const bool copied = one.stacked && st.st_nlink > 0;
    if (copied || (by_name_ && st.st_nlink == 0)) out.push_back({one.image, before_ns});
  }
  return out;
}

}  // namespace compmond::run
