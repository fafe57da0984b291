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
  return ::fsync(fd) == 0 ? 0 : errno;
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

}  // namespace

Result<void> write_file_whole(const std::string& path, std::string_view data) {
  const auto [folder, name] = split(path);
  const std::string what = fmt::format("cannot write '{}'", path);
  const char* next =
      "Choose another path with room and write permission; the old file is untouched.";
  Fd dir(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!dir.valid()) return fail_errno(Exit::kCantCreate, what, errno, next);
  if (const std::string why = not_replaceable(dir.get(), name); !why.empty())
    return fail(Exit::kCantCreate, what, why, next);

  Fd file;
  std::string temporary;
  for (int attempt = 0; attempt < 100 && !file.valid(); ++attempt) {
    temporary = fmt::format(".{}.{}-{}.tmp", name, ::getpid(), attempt);
    file.reset(::openat(dir.get(), temporary.c_str(),
                        O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (!file.valid() && errno != EEXIST) return fail_errno(Exit::kCantCreate, what, errno, next);
  }
  if (!file.valid())
    return fail(Exit::kCantCreate, what, "no free temporary name in its folder", next);
  int err = write_all(file.get(), data);
  if (err == 0) give_to_invoker(file.get());
  if (err == 0 && ::renameat(dir.get(), temporary.c_str(), dir.get(), name.c_str()) != 0)
    err = errno;
  if (err != 0) {
    ::unlinkat(dir.get(), temporary.c_str(), 0);
    return fail_errno(Exit::kCantCreate, what, err, next);
  }
  return {};
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
