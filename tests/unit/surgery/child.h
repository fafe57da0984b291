// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>

// What a child and its parent share.
struct Shared {
  std::atomic<uint64_t> turns{0}, wrong{0}, signals{0};
};
inline Shared* shared = nullptr;

// A child of this process, which has the same memory as it at first.
class Child {
 public:
  explicit Child(const std::function<void()>& work) {
    shared = static_cast<Shared*>(
        ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    REQUIRE(shared != MAP_FAILED);
    new (shared) Shared;
    pid_ = ::fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      work();
      ::_exit(0);
    }
  }
  ~Child() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    ::munmap(shared, sizeof(Shared));
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  pid_t pid() const { return pid_; }
  // It goes on.
  void turns(uint64_t more) const {
    for (const uint64_t to = shared->turns + more; shared->turns < to;) {
      REQUIRE(::kill(pid_, 0) == 0);
      REQUIRE(::waitpid(pid_, nullptr, WNOHANG) == 0);
      ::usleep(100);
    }
  }

 private:
  pid_t pid_ = 0;
};
