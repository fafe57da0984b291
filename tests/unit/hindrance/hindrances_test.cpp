// SPDX-License-Identifier: Apache-2.0
#include "hindrance/hindrances.h"

#include <doctest/doctest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

using namespace compmond;
using hindrance::Filters;
using hindrance::Hindrances;

namespace {

// A process that waits, and filters its system calls or does not. Ends with the object.
class Waiting {
 public:
  explicit Waiting(bool filtered) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    pid_ = ::fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) be(filtered, ends[1]);
    char ready = 0;
    CHECK(::read(ends[0], &ready, 1) == 1);
    ::close(ends[0]);
    ::close(ends[1]);
  }
  ~Waiting() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }

 private:
  [[noreturn]] static void be(bool filtered, int ready) {
    sock_filter all[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    sock_fprog program{1, all};
    if (filtered) {
      ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
    }
    (void)!::write(ready, "", 1);
    for (;;) ::pause();
  }
  pid_t pid_ = 0;
};

}  // namespace

TEST_CASE("hindrances: a filter is one only where the kernel shows it system calls of probes" *
          doctest::skip(::geteuid() != 0)) {
  const Waiting filtered(true), plain(false);
  const std::array pids{filtered.pid(), plain.pid()};
  const auto found = [&](Filters filters) {
    const auto kernel = Hindrances::open(filters);
    REQUIRE(kernel);
    return kernel->of(pids);
  };
  CHECK(found(Filters::kPassed).empty());
  for (const Filters shown : {Filters::kApplied, Filters::kUnknown}) {
    const auto all = found(shown);
    REQUIRE(all.size() == 1);
    CHECK(all.begin()->first == filtered.pid());
    CHECK(all.begin()->second == hindrance::filtered(filtered.pid()));
  }
}

TEST_CASE("filters: trying them ends no process but the one that tries, and gives one answer") {
  {
    hindrance::FilterTrial trial;
    const Filters answer = trial.answer();
    CHECK(answer == trial.answer());
  }
  CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);  // none is left
  CHECK(errno == ECHILD);
}
