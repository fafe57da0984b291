// SPDX-License-Identifier: Apache-2.0
#include "base/safe_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "base/fd.h"

namespace compmond {
namespace {

// The folder of `path`, and its last part.
std::pair<std::string, std::string> split(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return {".", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

int write_all(int fd, std::string_view data) {
  while (!data.empty()) {
    const ssize_t n = ::write(fd, data.data(), data.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    data.remove_prefix(size_t(n));
  }
  return 0;
}

// Why the existing thing at `name` is not to be replaced by a file, or an empty text: a device,
// say, which root could.
std::string not_replaceable(int dir, const std::string& name) {
  struct stat st {};
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
  const char* uid = std::getenv("SUDO_UID");
  const char* gid = std::getenv("SUDO_GID");
  if (::geteuid() != 0 || !uid || !gid) return;
  if (::fchown(fd, uid_t(std::atol(uid)), gid_t(std::atol(gid))) != 0)
    return;  // root's file is still a good file
}

constexpr const char* kNext =
    "Choose another path with room and write permission; the old file is untouched.";

}  // namespace

Unexpected SafeFile::cannot(int err) const {
  return fail_errno(Exit::kCantCreate, fmt::format("cannot write '{}'", path_), err, kNext);
}

Result<SafeFile> SafeFile::open(const std::string& path) {
  SafeFile out;
  out.path_ = path;
  const auto [folder, name] = split(path);
  out.name_ = name;
  out.folder_.reset(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!out.folder_.valid()) return out.cannot(errno);
  if (std::string why = not_replaceable(out.folder_.get(), name); !why.empty())
    return fail(Exit::kCantCreate, fmt::format("cannot write '{}'", path), std::move(why), kNext);
  for (int attempt = 0; attempt < 100 && !out.file_.valid(); ++attempt) {
    std::string temporary = fmt::format(".{}.{}-{}.tmp", name, ::getpid(), attempt);
    out.file_.reset(::openat(out.folder_.get(), temporary.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (!out.file_.valid() && errno != EEXIST) return out.cannot(errno);
    if (out.file_.valid()) out.temporary_ = std::move(temporary);
  }
  if (!out.file_.valid())
    return fail(Exit::kCantCreate, fmt::format("cannot write '{}'", path),
                "no free temporary name in its folder", kNext);
  return out;
}

SafeFile::~SafeFile() {
  if (file_.valid()) ::unlinkat(folder_.get(), temporary_.c_str(), 0);
}

void SafeFile::write(std::string_view data) {
  if (error_ == 0) error_ = write_all(file_.get(), data);
}

Result<void> SafeFile::commit() {
  if (error_ == 0 && ::fsync(file_.get()) != 0) error_ = errno;
  if (error_ == 0) give_to_invoker(file_.get());
  if (error_ == 0 &&
      ::renameat(folder_.get(), temporary_.c_str(), folder_.get(), name_.c_str()) != 0)
    error_ = errno;
  if (error_ != 0) return cannot(error_);  // the destructor removes the temporary file
  file_.reset();
  return {};
}

Result<void> write_file_whole(const std::string& path, std::string_view data) {
  auto file = SafeFile::open(path);
  if (!file) return Unexpected(std::move(file.error()));
  file->write(data);
  return file->commit();
}

Result<std::string> read_file(const std::string& path, size_t limit) {
  const std::string what = fmt::format("cannot read '{}'", path);
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid())
    return fail_errno(errno == EACCES ? Exit::kNoPermission : Exit::kNoInput, what, errno,
                      "Check the path.");
  struct stat st {};
  if (::fstat(file.get(), &st) != 0) return fail_errno(Exit::kNoInput, what, errno);
  if (!S_ISREG(st.st_mode))
    return fail(Exit::kNoInput, what, "not a regular file", "Check the path.");
  std::string out;
  char buffer[65536];
  for (;;) {
    const ssize_t n = ::read(file.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno(Exit::kNoInput, what, errno);
    if (n == 0) return out;
    out.append(buffer, size_t(n));
    if (out.size() > limit)
      return fail(Exit::kData, what, fmt::format("larger than the limit of {} bytes", limit),
                  "Split it.");
  }
}

}  // namespace compmond
