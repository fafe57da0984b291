// SPDX-License-Identifier: Apache-2.0
#include "later/file_watch.h"

#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <utility>

#include "target/proc_folder.h"
#include "target/process.h"

namespace compmond::later {
namespace {

constexpr uint64_t kLookNs = 1'000'000'000;
constexpr uint64_t kToldWithinNs = 2'000'000'000;  // what a process maps, while it runs

bool same(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool is_stacked(const Fd& file) {
  struct statfs info {};
  return ::fstatfs(file.get(), &info) == 0 && uint32_t(info.f_type) == OVERLAYFS_SUPER_MAGIC;
}

// What has no name, or is observed under its name beside another file, gives way to nothing.
bool has_successor(const std::vector<plan::PlannedImage>& images, const plan::PlannedImage& one) {
  return !one.path.starts_with("/memfd:") &&
         std::ranges::count(images, one.path, &plan::PlannedImage::path) == 1;
}

std::vector<size_t> operations_in(const plan::Plan& plan, int image) {
  std::vector<size_t> out;
  for (size_t i = 0; i < plan.operations.size(); ++i)
    if (plan.operations[i].image == image) out.push_back(i);
  return out;
}

}  // namespace

FileWatch::FileWatch(const spec::Spec& spec, const prepare::Resolved& resolved, bool by_name)
    : spec_(spec), resolved_(resolved), by_name_(by_name) {
  const std::vector<plan::PlannedImage>& images = resolved.plan.images;
  for (size_t i = 0; i < images.size(); ++i) {
    const plan::PlannedImage& image = images[i];
    struct stat st {};
    if (image.file && ::fstat(image.file->get(), &st) == 0)
      files_.push_back({int(i), image.file, image.path, st.st_mtim, st.st_ctim,
                        is_stacked(*image.file), !has_successor(images, image)});
  }
}

std::vector<FileWatch::Missed> FileWatch::look(uint64_t now_ns, const Tell& tell, bool last) {
  std::vector<Missed> out;
  if (now_ns < looked_ns_ + kLookNs && !last) return out;
  const uint64_t before_ns = std::exchange(looked_ns_, now_ns);
  for (Watched& one : files_) {
    struct stat st {};
    if (one.told || ::fstat(one.file->get(), &st) != 0) continue;
    if (st.st_nlink == 0)
      tell(
          fmt::format("{} was replaced or deleted: what runs from now on under this name is "
                      "another file, whose "
                      "calls are not counted; start compmond again to observe it",
                      one.path));
    else if (!same(st.st_mtim, one.written))
      tell(fmt::format(
          "{} was written to: its probes may stand at wrong places; start compmond again",
          one.path));
    else if (one.stacked && !same(st.st_ctim, one.changed))
      tell(fmt::format(
          "{} was changed on an overlay file system, which may have copied it: what runs from now "
          "on under this name may be another file, whose calls are not counted; start compmond "
          "again to observe it",
          one.path));
    else
      continue;
    one.told = true;
    const bool copied = one.stacked && st.st_nlink > 0;
    if (copied || (by_name_ && st.st_nlink == 0))
      out.push_back({operations_in(resolved_.plan, one.image), before_ns});
  }
  return out;
}

bool FileWatch::knows(const sampling::Image& image) const {
  return image.inode == 0 ||
         std::ranges::any_of(resolved_.files, [&](const prepare::FileRead& file) {
           return file.inode == image.inode && target::same_device(file.device, image.device);
         });
}

FileWatch::Missed FileWatch::meet(const sampling::Image& image, uint64_t now_ns,
                                  const Tell& tell) const {
  Missed out;
  const plan::Plan& plan = resolved_.plan;
  for (size_t i = 0; i < plan.operations.size(); ++i) {
    const std::string& named = spec_.components[size_t(plan.operations[i].component)].image;
    if (!named.empty() && target::image_matches(named, image.path)) out.operations.push_back(i);
  }
  if (out.operations.empty()) return out;
  out.since_ns = now_ns - std::min(now_ns, kToldWithinNs);
  tell(fmt::format(
      "an observed process executes {}, another file than was there when compmond began: its calls "
      "are not counted; start compmond again to observe it",
      image.path));
  return out;
}

}  // namespace compmond::later
