// SPDX-License-Identifier: Apache-2.0
#include "base/thread.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

using namespace compmond;

namespace {

// In a copy of this process that may have no further thread.
bool names_the_limit_where_there_is_none() {
  constexpr uid_t kNobody = 65534;
  const rlimit none{0, 0};
  if (::setrlimit(RLIMIT_NPROC, &none) != 0) return false;
  if (::geteuid() == 0 && ::setresuid(kNobody, kNobody, kNobody) != 0) return false;
  const auto thread = start_thread("cannot work", [] {});
  return !thread && thread.error().code == Exit::kUnavailable &&
         thread.error().what == "cannot work" &&
         thread.error().next.find("ulimit -u") != std::string::npos;
}

}  // namespace

TEST_CASE("thread: does the work") {
  int done = 0;
  auto thread = start_thread("cannot work", [&] { ++done; });
  REQUIRE(thread);
  thread->join();
  CHECK(done == 1);
}

TEST_CASE("thread: where there can be no more it is an error that names the limit") {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(names_the_limit_where_there_is_none() ? 0 : 1);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("thread: another reason than the limit is told as it is") {
  const Error error = fail_to_start("cannot work", ENOMEM).value();
  CHECK(error.why == "Cannot allocate memory");
  CHECK(error.next.empty());
}

TEST_CASE("error: a limit of open files is named with how to raise it") {
  CHECK(fail_errno(Exit::kNoInput, "cannot read", EMFILE, "Check the path.").value().next ==
        "Raise the limit of open files: ulimit -n (LimitNOFILE= of a service).");
  CHECK(fail_errno(Exit::kNoInput, "cannot read", ENFILE).value().next.find("fs.file-max") !=
        std::string::npos);
  CHECK(fail_errno(Exit::kNoInput, "cannot read", ENOENT, "Check the path.").value().next ==
        "Check the path.");
}
