// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <functional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "base/result.h"

namespace compmond {

// For who got no thread or process (`err`): `what` cannot be done without it. Exit::kUnavailable.
inline Unexpected fail_to_start(std::string what, int err) {
  if (err != EAGAIN) return fail_errno(Exit::kUnavailable, std::move(what), err);
  return fail(Exit::kUnavailable, std::move(what),
              "there may be no more threads and processes of this user, or in this control group",
              "Raise the limit: ulimit -u (LimitNPROC= of a service; started by root, compmond's "
              "threads are those of the user nobody), or pids.max of the group (TasksMax=).");
}

// A thread that does `work`, which must not throw; the caller joins it. Exit::kUnavailable where
// there can be no more threads: `what` cannot be done without it. Any thread.
inline Result<std::thread> start_thread(std::string what, std::function<void()> work) {
  try {
    return std::thread(std::move(work));
  } catch (const std::system_error& error) {
    return fail_to_start(std::move(what), error.code().value());
  }
}

}  // namespace compmond
