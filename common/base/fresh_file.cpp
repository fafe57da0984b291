// SPDX-License-Identifier: Apache-2.0
#include "base/fresh_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <tuple>
#include <utility>

#include "base/invoker.h"

namespace compmond {
namespace {

constexpr const char* kNext =
    "Choose another path with room and write permission; the old file is untouched.";

// The folder of `path`, and its last part.
std::pair<std::string, std::string> split(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return {".", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

std::string cannot_write(const std::string& path) { return fmt::format("cannot write '{}'", path); }

// Why the existing thing at `name` is not to be replaced by a file, or an empty text: a device,
// say, which root could.
std::string not_replaceable(int dir, const std::string& name) {
  struct stat st {};
  if (name.empty()) return "it is the name of a folder";
  if (::fstatat(dir, name.c_str(), &st, AT_SYMLINK_NOFOLLOW) != 0) return {};
  if (S_ISDIR(st.st_mode)) return "it is a folder";
  if (S_ISREG(st.st_mode)) return {};
  if (!S_ISLNK(st.st_mode)) return "it is not a regular file";
  char target[8];
  const ssize_t size = ::readlinkat(dir, name.c_str(), target, sizeof target);
  const bool into_proc =
      size > 0 && std::string_view(target, size_t(size)).substr(0, 6) == "/proc/";  // /dev/stdout
  const bool to_device = ::fstatat(dir, name.c_str(), &st, 0) == 0 && !S_ISREG(st.st_mode);
  return into_proc || to_device ? "it is a link to something that is not a regular file" : "";
}

// What root writes under sudo should belong to the person who asked for it.
void give_to_invoker(int fd) {
  const auto by = invoker();
  if (by && ::fchown(fd, by->uid, by->gid) != 0) return;  // root's file is still a good file
}

}  // namespace

Result<FilePlace> FilePlace::open(const std::string& path) {
  FilePlace out;
  std::string folder;
  std::tie(folder, out.name_) = split(path);
  out.path_ = path;
  Fd fd(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return fail_errno(Exit::kCantCreate, cannot_write(path), errno, kNext);
  out.folder_ = std::make_shared<const Fd>(std::move(fd));
  return out;
}

FilePlace FilePlace::beside(const std::string& name) const {
  FilePlace out = *this;
  out.path_ = path_.substr(0, path_.size() - name_.size()) + name;
  out.name_ = name;
  return out;
}

bool FilePlace::path_leads_here() const {
  struct stat here {};
  struct stat there {};
  return ::fstat(folder(), &here) == 0 && ::stat(split(path_).first.c_str(), &there) == 0 &&
         here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

FreshFile::FreshFile(FreshFile&& other) noexcept
    : place_(std::move(other.place_)),
      file_(std::move(other.file_)),
      temporary_(std::exchange(other.temporary_, {})),
      size_(other.size_) {}

FreshFile& FreshFile::operator=(FreshFile&& other) noexcept {
  if (this == &other) return *this;
  remove();
  place_ = std::move(other.place_);
  file_ = std::move(other.file_);
  temporary_ = std::exchange(other.temporary_, {});
  size_ = other.size_;
  return *this;
}

FreshFile::~FreshFile() { remove(); }

void FreshFile::remove() {
  if (!temporary_.empty()) ::unlinkat(place_.folder(), temporary_.c_str(), 0);
  temporary_.clear();
}

Result<FreshFile> FreshFile::create(const std::string& path) {
  auto place = FilePlace::open(path);
  if (!place) return Unexpected(std::move(place.error()));
  return create(std::move(*place));
}

Result<FreshFile> FreshFile::create(FilePlace place) {
  FreshFile out(std::move(place));
  const std::string &path = out.place_.path(), &name = out.place_.name();
  if (const std::string why = not_replaceable(out.place_.folder(), name); !why.empty())
    return fail(Exit::kCantCreate, cannot_write(path), why, kNext);
  for (int attempt = 0; attempt < 100; ++attempt) {
    const std::string temporary = fmt::format(".{}.{}-{}.tmp", name, ::getpid(), attempt);
    out.file_.reset(::openat(out.place_.folder(), temporary.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (!out.file_.valid() && errno == EEXIST) continue;
    if (!out.file_.valid()) return fail_errno(Exit::kCantCreate, cannot_write(path), errno, kNext);
    out.temporary_ = temporary;
    give_to_invoker(out.file_.get());
    return out;
  }
  return fail(Exit::kCantCreate, cannot_write(path), "no free temporary name in its folder", kNext);
}

Result<void> FreshFile::append(std::string_view data) {
  uint64_t size = size_;
  while (!data.empty()) {
    const ssize_t n = ::write(file_.get(), data.data(), data.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int err = errno;
      if (::ftruncate(file_.get(), off_t(size_)) == 0) ::lseek(file_.get(), off_t(size_), SEEK_SET);
      return fail_errno(Exit::kCantCreate, cannot_write(place_.path()), err,
                        "Choose another path, or make room on its disk.");
    }
    data.remove_prefix(size_t(n));
    size += uint64_t(n);
  }
  size_ = size;
  return {};
}

Result<void> FreshFile::sync() {
  if (::fsync(file_.get()) == 0) return {};
  return fail_errno(Exit::kCantCreate, cannot_write(place_.path()), errno, kNext);
}

Result<void> FreshFile::publish() {
  if (::renameat(place_.folder(), temporary_.c_str(), place_.folder(), place_.name().c_str()) != 0)
    return fail_errno(Exit::kCantCreate, cannot_write(place_.path()), errno, kNext);
  temporary_.clear();
  return {};
}

Result<void> FreshFile::check_there() const {
  struct stat st {};
  if (::fstat(file_.get(), &st) == 0 && st.st_nlink > 0) return {};
  return fail(Exit::kCantCreate, cannot_write(place_.path()), "it was removed since the start",
              "Leave it where it is.");
}

Result<void> FreshFile::restart() {
  if (::ftruncate(file_.get(), 0) != 0 || ::lseek(file_.get(), 0, SEEK_SET) != 0)
    return fail_errno(Exit::kCantCreate, cannot_write(place_.path()), errno, kNext);
  size_ = 0;
  return {};
}

}  // namespace compmond
