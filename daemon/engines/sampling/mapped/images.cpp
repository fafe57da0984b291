// SPDX-License-Identifier: Apache-2.0
#include "mapped_code/images.h"

#include <sys/stat.h>

#include "mapped_code/vdso.h"

namespace compmond::sampler {
namespace {

// Of the processes of others, and of what only a container has; of what was deleted.
constexpr const char* kMissingRight =
    " The right that is missing is CAP_SYS_PTRACE, of a deleted file CAP_CHECKPOINT_RESTORE.";
constexpr const char* kVdsoName = "[vdso]";
constexpr const char* kMadeCodeName = "[jit]";
constexpr size_t kMaxNotes = 8;
// A file and a descriptor each; beyond that they are not opened.
constexpr size_t kMaxOpen = 4096;

// Memory that processes share looks like a file, and holds none.
bool is_shared_memory(const target::Mapping& mapping) {
  return mapping.deleted && (mapping.path == "/dev/zero" || mapping.path.starts_with("/SYSV"));
}

}  // namespace

Result<Fd> open_mapped_file(pid_t pid, const target::Mapping& mapping) {
  const std::string what = fmt::format("cannot open '{}' of process {}", mapping.path, pid);
  auto process = target::Process::watch(pid, {});
  auto file = process ? process->open_mapped(mapping) : Result<Fd>(Unexpected(process.error()));
  if (file || mapping.deleted) return file;
  // The process is gone already, or its root is not for us: our own may have the file.
  auto ours = target::open_same_file(mapping.path, mapping, what);
  return ours ? std::move(ours) : std::move(file);
}

Images::Images(Open open) : open_(std::move(open)) {}

sampling::ImageNumber Images::number_of(pid_t pid, const target::Mapping& mapping) {
  const std::lock_guard lock(mutex_);
  if (mapping.path == kVdsoName) return add_vdso();
  if (mapping.inode == 0 || !mapping.path.starts_with('/') || is_shared_memory(mapping))
    return sampling::kNoImage;
  const Identity identity(mapping.device, mapping.inode);
  if (const auto found = by_mapping_.find(identity); found != by_mapping_.end())
    return found->second;
  return by_mapping_[identity] = add_file(pid, mapping);
}

sampling::ImageNumber Images::add(sampling::Image one) {
  const auto number = one.number;
  all_.push_back(std::move(one));
  return number;
}

sampling::ImageNumber Images::made_code() {
  const std::lock_guard lock(mutex_);
  if (made_code_ != sampling::kNoImage) return made_code_;
  sampling::Image one;
  one.number = made_code_ = next_++;
  one.path = kMadeCodeName;
  return add(std::move(one));
}

sampling::ImageNumber Images::add_vdso() {
  if (has_vdso_) return sampling::kVdso;
  has_vdso_ = true;
  sampling::Image one;
  one.number = sampling::kVdso;
  one.path = kVdsoName;
  if (Fd code = copy_vdso(); code.valid()) one.file = std::make_shared<const Fd>(std::move(code));
  return add(std::move(one));
}

sampling::ImageNumber Images::add_file(pid_t pid, const target::Mapping& mapping) {
  sampling::Image one;
  one.path = mapping.path;
  one.device = mapping.device;
  one.inode = mapping.inode;
  if (all_.size() < kMaxOpen) {
    if (auto file = open_(pid, mapping); file)
      one.file = std::make_shared<const Fd>(std::move(*file));
    else if (unopened_.size() < kMaxNotes)
      unopened_.push_back(
          fmt::format("stacks end in a file of which nothing is known: {}{}", file.error().text(),
                      file.error().code == Exit::kNoPermission ? kMissingRight : ""));
    else
      ++more_unopened_;
  }
  struct stat st {};
  if (one.file && ::fstat(one.file->get(), &st) == 0) {
    const auto [found, fresh] = by_file_.try_emplace({st.st_dev, st.st_ino}, next_);
    if (!fresh) return found->second;
    one.device = st.st_dev;  // as whoever else opens it has them
    one.inode = st.st_ino;
  }
  one.number = next_++;
  return add(std::move(one));
}

std::vector<const sampling::Image*> Images::take_new() {
  const std::lock_guard lock(mutex_);
  std::vector<const sampling::Image*> out;
  for (; taken_ < all_.size(); ++taken_) out.push_back(&all_[taken_]);
  return out;
}

std::vector<std::string> Images::notes() const {
  const std::lock_guard lock(mutex_);
  auto out = unopened_;
  if (more_unopened_ > 0) out.push_back(fmt::format("{} more files likewise", more_unopened_));
  return out;
}

}  // namespace compmond::sampler
