// SPDX-License-Identifier: Apache-2.0
#include "serve/run_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

#include "base/fd.h"

namespace compmond::serve {
namespace {

constexpr int kMostOfOnePid = 64;  // pid namespaces that share the folder

// Of the n-th instance with its pid, from 1.
std::string name_of(pid_t pid, int n) {
  return n == 1 ? fmt::format("{}.sock", pid) : fmt::format("{}-{}.sock", pid, n);
}

std::optional<pid_t> pid_of(std::string_view name) {
  pid_t pid = 0;
  const char* const end = name.data() + name.size();
  const auto [at, error] = std::from_chars(name.data(), end, pid);
  if (error != std::errc() || pid <= 0) return std::nullopt;
  int n = 1;
  if (at != end && *at == '-') (void)std::from_chars(at + 1, end, n);
  return name == name_of(pid, n) ? std::optional(pid) : std::nullopt;
}

bool runs_here(pid_t pid) {
  return ::access(fmt::format("/proc/{}", pid).c_str(), F_OK) == 0 || errno != ENOENT;
}

// Whether it is a socket at which nobody listens. The number in its name does not tell: it may be
// one of another pid namespace that shares the folder, as containers do.
bool is_left_behind(int folder, const char* name) {
  struct stat st {};
  if (::fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISSOCK(st.st_mode)) return false;
  const std::string path = fmt::format("/proc/self/fd/{}/{}", folder, name);
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  if (path.size() >= sizeof to.sun_path) return false;
  std::memcpy(to.sun_path, path.c_str(), path.size() + 1);
  const Fd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return probe.valid() &&
         ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0 &&
         errno == ECONNREFUSED;
}

void remove_left_behind(int folder) {
  const int listing = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (listing < 0) return;
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(::fdopendir(listing), ::closedir);
  if (!dir) return;
  while (const dirent* entry = ::readdir(dir.get())) {
    const auto pid = pid_of(entry->d_name);
    if (!pid) continue;
    if (!runs_here(*pid) && is_left_behind(folder, entry->d_name))
      ::unlinkat(folder, entry->d_name, 0);
  }
}

bool is_free(int folder, const std::string& name) {
  struct stat st {};
  return ::fstatat(folder, name.c_str(), &st, AT_SYMLINK_NOFOLLOW) != 0
             ? errno == ENOENT
             : is_left_behind(folder, name.c_str());
}

}  // namespace

Result<std::string> own_socket_path() {
  if (::geteuid() == 0) return own_socket_path_in("/run/compmond");
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (!runtime || *runtime != '/')
    return fail(Exit::kCantCreate, "no socket for windows", "XDG_RUNTIME_DIR is not set",
                "Give one: --listen PATH.");
  return own_socket_path_in(std::string(runtime) + "/compmond");
}

Result<std::string> own_socket_path_in(const std::string& folder) {
  const std::string what = fmt::format("no socket for windows in '{}'", folder);
  const char* next = "Give another place: --listen PATH.";
  if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST)
    return fail_errno(Exit::kCantCreate, what, errno, next);
  const Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat st {};
  if (!fd.valid() || ::fstat(fd.get(), &st) != 0)
    return fail_errno(Exit::kCantCreate, what, errno, next);
  if (st.st_uid != ::geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return fail(Exit::kCantCreate, what, "others may write to that folder", next);
  // Users have to pass through; a strict umask would have kept them out.
  if ((st.st_mode & 0777) != 0755) (void)::fchmod(fd.get(), 0755);
  remove_left_behind(fd.get());
  for (int n = 1; n <= kMostOfOnePid; ++n)
    if (const std::string name = name_of(::getpid(), n); is_free(fd.get(), name))
      return folder + "/" + name;
  return fail(Exit::kCantCreate, what,
              fmt::format("{} others have the number {} there, each in a pid namespace of its own",
                          kMostOfOnePid, ::getpid()),
              next);
}

}  // namespace compmond::serve
