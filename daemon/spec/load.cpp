// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>

#include <cerrno>
#include <optional>

#include "base/fd.h"
#include "base/invoker.h"
#include "base/safe_file.h"
#include "core/limits.h"
#include "spec/parse.h"
#include "spec/trust.h"

namespace compmond::spec {
namespace {

std::string cannot_read(const std::string& path) {
  return fmt::format("cannot read spec '{}'", path);
}

}  // namespace

Result<void> check_trust(const struct stat& file, uid_t euid, std::optional<uid_t> invoker,
                         const std::string& path) {
  if (euid != 0) return {};
  if (file.st_uid != 0 && file.st_uid != invoker)
    return fail(
        Exit::kNoPermission, fmt::format("will not use spec '{}'", path),
        fmt::format("it belongs to user {}, and a spec decides what root attaches to", file.st_uid),
        fmt::format("Read it, then make it yours: chown root '{}'", path));
  if (file.st_mode & (S_IWGRP | S_IWOTH))
    return fail(
        Exit::kNoPermission, fmt::format("will not use spec '{}'", path),
        fmt::format("others may write it (mode {:04o}), and a spec decides what root attaches to",
                    file.st_mode & 07777),
        fmt::format("Read it, then: chmod go-w '{}'", path));
  return {};
}

Result<Spec> load(const std::string& path) {
  // One descriptor throughout: what was checked is what is read, whoever renames files meanwhile.
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) {
    const bool denied = is_permission(errno);
    return fail_errno(
        denied ? Exit::kNoPermission : Exit::kNoInput, cannot_read(path), errno,
        denied ? "Make it readable for this user."
               : "Check the path; examples are in specs/, the format is in docs/spec.md.");
  }
  struct stat st {};
  if (::fstat(file.get(), &st) != 0) return fail_errno(Exit::kNoInput, cannot_read(path), errno);
  if (!S_ISREG(st.st_mode))
    return fail(Exit::kNoInput, cannot_read(path), "it is not a regular file", "Check the path.");
  const auto by = invoker();
  const auto user = by ? std::optional(by->uid) : std::nullopt;
  if (auto trusted = check_trust(st, ::geteuid(), user, path); !trusted)
    return Unexpected(std::move(trusted.error()));
  auto text = read_file(file.proc_path(), limits::kSpecBytes);
  if (!text) {
    text.error().what = cannot_read(path);
    return Unexpected(std::move(text.error()));
  }
  auto spec = parse(*text, path);
  if (spec) spec->by_root = st.st_uid == 0 && !(st.st_mode & (S_IWGRP | S_IWOTH));
  return spec;
}

}  // namespace compmond::spec
