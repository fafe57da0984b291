// SPDX-License-Identifier: Apache-2.0
#include "guard/read_only.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "base/invoker.h"
#include "core/limits.h"
#include "guard/child.h"

namespace compmond::guard {
namespace {

constexpr Invoker kAsNobody{65534, 65534};
constexpr int kReading[] = {
    // files
    SCMP_SYS(read), SCMP_SYS(pread64), SCMP_SYS(lseek), SCMP_SYS(fstat), SCMP_SYS(newfstatat),
    SCMP_SYS(access), SCMP_SYS(faccessat), SCMP_SYS(readlink), SCMP_SYS(readlinkat),
    SCMP_SYS(getcwd), SCMP_SYS(close), SCMP_SYS(execve),
    // memory
    SCMP_SYS(brk), SCMP_SYS(mmap), SCMP_SYS(mprotect), SCMP_SYS(munmap), SCMP_SYS(mremap),
    SCMP_SYS(madvise),
    // itself
    SCMP_SYS(arch_prctl), SCMP_SYS(set_tid_address), SCMP_SYS(set_robust_list), SCMP_SYS(rseq),
    SCMP_SYS(futex), SCMP_SYS(getrandom), SCMP_SYS(uname), SCMP_SYS(clock_gettime),
    SCMP_SYS(rt_sigreturn), SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(getuid), SCMP_SYS(geteuid),
    SCMP_SYS(getgid), SCMP_SYS(getegid), SCMP_SYS(exit), SCMP_SYS(exit_group)};

bool may_read(const Invoker& user, const std::string& file) {
  if (::setegid(user.gid) != 0) return false;
  const bool may =
      ::seteuid(user.uid) == 0 && ::faccessat(AT_FDCWD, file.c_str(), R_OK, AT_EACCESS) == 0;
  return ::seteuid(0) == 0 && ::setegid(0) == 0 && may;
}

// Whether nobody else can have put there what stands at the path. In a folder like /tmp (sticky)
// everybody may add files, but not replace those of others.
bool only_root_changes(const std::string& file) {
  for (size_t end = 0; end != std::string::npos;) {
    end = file.find('/', end + 1);
    struct stat status {};
    if (::lstat(file.substr(0, end).c_str(), &status) != 0) return false;
    const bool sticky = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX);
    const bool shared = (status.st_mode & (S_IWGRP | S_IWOTH)) && !sticky;
    if (status.st_uid != 0 || S_ISLNK(status.st_mode) || shared) return false;
  }
  return true;
}

// With no group of the owner: the owner's own rights are enough.
std::optional<Invoker> reader_of(const std::string& file) {
  if (may_read(kAsNobody, file)) return kAsNobody;
  if (const auto user = invoker(); user && may_read(*user, file)) return user;
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return std::nullopt;
  const Invoker owner{status.st_uid, kAsNobody.gid};
  const bool trusted = owner.uid != 0 || only_root_changes(file);
  return trusted && may_read(owner, file) ? std::optional(owner) : std::nullopt;
}

std::string become_reader_of(const std::string& file) {
  if (::geteuid() != 0) return {};
  if (::setgroups(0, nullptr) != 0) return failed("setgroups", errno);
  const auto user = reader_of(file);
  if (!user)
    return "only root may read the file, and others could have put it there: "
           "this is not done with root's rights";
  if (::setresgid(user->gid, user->gid, user->gid) != 0 ||
      ::setresuid(user->uid, user->uid, user->uid) != 0)
    return failed("setuid", errno);
  return {};
}

std::string filter_calls() {
  AllowList calls(SCMP_ACT_ERRNO(EPERM));
  for (const int call : kReading) calls.allow(call);
  calls.allow(SCMP_SYS(openat),
              {SCMP_A2_64(SCMP_CMP_MASKED_EQ, O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY)});
  for (const int call : {SCMP_SYS(write), SCMP_SYS(writev)})
    calls.allow(call, {SCMP_A0_64(SCMP_CMP_EQ, STDOUT_FILENO)});
  calls.allow(SCMP_SYS(prlimit64), {SCMP_A2_64(SCMP_CMP_EQ, 0)});  // to look
  calls.allow_sanitizers();
  return calls.load();
}

}  // namespace

std::string only_read(const std::string& file) {
  const int null = ::open("/dev/null", O_RDWR);
  if (null < 0 || ::dup2(null, STDIN_FILENO) < 0 || ::dup2(null, STDERR_FILENO) < 0)
    return failed("/dev/null", errno);
  if (::close_range(STDERR_FILENO + 1, ~0u, 0) != 0) return failed("close_range", errno);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);  // the parent takes signals in a thread of its own
  if (!bound(RLIMIT_CORE, 1, 1) ||
      !(kSanitized || bound(RLIMIT_AS, limits::kReaderBytes, limits::kReaderBytes)) ||
      !bound(RLIMIT_CPU, limits::kReaderSeconds, limits::kReaderSeconds))
    return failed("setrlimit", errno);
  if (auto why = become_reader_of(file); !why.empty()) return why;
  if (auto why = give_up_gaining(); !why.empty()) return why;
  return filter_calls();
}

}  // namespace compmond::guard
