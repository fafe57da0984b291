// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "base/fd.h"

namespace compmond::test {

// A child process that lives until this object goes. Nothing here waits by time.
class Child {
 public:
  // Runs a program; returns when it has replaced the child's image.
  static Child program(const std::vector<std::string>& command);
  // Runs `body` in a forked copy, which then waits to be killed; returns when `body` has returned.
  static Child code(const std::function<void()>& body);

  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  ~Child();
  pid_t pid() const { return pid_; }
  void kill_and_leave_zombie() const;

 private:
  explicit Child(pid_t pid) : pid_(pid) {}
  pid_t pid_;
};

}  // namespace compmond::test
