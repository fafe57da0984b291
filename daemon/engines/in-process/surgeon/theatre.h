// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <map>

#include "base/fd.h"
#include "surgeon/protocol.h"

namespace compmond::inprocess {

// The surgeon's side: all its patients. One thread.
class Theatre {
 public:
  // `file`: what the process shares, where the reply says that there is one.
  Reply answer(const Request& request, Fd& file);
  // Puts all of them back, and what they forked that nobody asked for; as often as it takes, for
  // some seconds.
  void close();

 private:
  Result<void> open(pid_t pid, Reply& reply, Fd& file);
  const Patient* parent_of(pid_t pid) const;
  bool leave_forks();

  std::map<pid_t, Patient> patients_;
  bool any_ = false;  // there ever were: they may have forked others, and ended
};

}  // namespace compmond::inprocess
