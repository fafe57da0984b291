// SPDX-License-Identifier: Apache-2.0
#include "target/narrowing.h"

#include <linux/magic.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>

#include "base/safe_file.h"
#include "target/proc_text.h"

namespace compmond::target {
namespace {

namespace fs = std::filesystem;

constexpr size_t kStatusBytes = 64 << 10;
constexpr std::array kMounts = {"/sys/fs/cgroup/", "/sys/fs/cgroup/unified/"};

uint64_t inode_of(const std::string& path) {
  struct stat st {};
  return ::stat(path.c_str(), &st) == 0 ? st.st_ino : 0;
}

uint32_t pid_namespace_of(pid_t pid) {
  return uint32_t(inode_of(fmt::format("/proc/{}/ns/pid", pid)));
}

bool is_unified(const std::string& folder) {
  struct statfs info {};
  return ::statfs(folder.c_str(), &info) == 0 && info.f_type == CGROUP2_SUPER_MAGIC;
}

bool is_below(const std::string& path, const std::string& folder) {
  return folder == "/" || path == folder || path.starts_with(folder + "/");
}

bool in_cgroup(pid_t pid, const std::string& folder) {
  const auto text = read_file(fmt::format("/proc/{}/cgroup", pid), kStatusBytes);
  if (!text) return false;
  const size_t line = text->starts_with("0::") ? 0 : text->find("\n0::");
  if (line == text->npos) return false;
  const size_t begin = text->find('/', line);
  if (begin == text->npos) return false;
  return is_below(text->substr(begin, text->find('\n', begin) - begin), folder);
}

Result<uid_t> user_named(const std::string& name) {
  uid_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error == std::errc() && end == name.data() + name.size()) return number;
  if (const passwd* entry = ::getpwnam(name.c_str())) return entry->pw_uid;
  return fail(Exit::kNoInput, fmt::format("cannot look for processes of '{}'", name),
              "there is no such user", "Give the name or the number of a user: --user NAME.");
}

Result<void> find_cgroup(const std::string& given, Narrowing& out) {
  std::error_code failed;
  fs::path folder;
  for (const char* mount : kMounts)
    if (folder.empty() && is_unified(mount + given)) folder = fs::canonical(mount + given, failed);
  if (folder.empty() && is_unified(given)) folder = fs::canonical(given, failed);
  if (folder.empty() || failed || !fs::is_directory(folder, failed))
    return fail(Exit::kNoInput, fmt::format("cannot look for processes of the cgroup '{}'", given),
                "there is no such folder of the unified hierarchy (cgroup2)",
                "Give one as in /proc/PID/cgroup behind '0::', or the whole path of its folder.");
  fs::path root = folder;
  while (root.has_relative_path() && is_unified(root.parent_path())) root = root.parent_path();
  const fs::path below = folder.lexically_relative(root);
  out.cgroup = inode_of(folder);
  out.cgroup_path = below == "." ? "/" : "/" + below.string();
  return {};
}

}  // namespace

std::optional<uid_t> user_of(pid_t pid) {
  const auto status = read_file(fmt::format("/proc/{}/status", pid), kStatusBytes);
  const auto identity = status ? parse_identity(*status) : std::nullopt;
  return identity ? std::optional(identity->user) : std::nullopt;
}

std::string name_of_user(uid_t user) {
  const passwd* entry = ::getpwuid(user);
  return entry ? entry->pw_name : fmt::to_string(user);
}

bool Narrowing::admits(pid_t pid) const {
  return (!user || user_of(pid) == user) &&
         (pid_namespace == 0 || pid_namespace_of(pid) == pid_namespace) &&
         (cgroup == 0 || in_cgroup(pid, cgroup_path));
}

Result<Narrowing> narrowing_of(const std::string& user, const std::string& cgroup,
                               std::optional<pid_t> of_namespace) {
  Narrowing out;
  if (!user.empty()) {
    const auto number = user_named(user);
    if (!number) return Unexpected(number.error());
    out.user = *number;
  }
  if (!cgroup.empty())
    if (auto found = find_cgroup(cgroup, out); !found) return Unexpected(found.error());
  if (of_namespace) {
    out.pid_namespace = pid_namespace_of(*of_namespace);
    if (out.pid_namespace == 0)
      return fail_errno(
          Exit::kNoInput,
          fmt::format("cannot look at the pid namespace of process {}", *of_namespace), errno,
          "Give the pid of a process that runs in it.");
  }
  return out;
}

}  // namespace compmond::target
