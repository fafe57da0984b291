// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "patient/leftovers.h"
#include "patient/patient.h"
#include "surgeon/protocol.h"

namespace compmond::inprocess {

// The surgeon's side: all its patients. One thread.
class Theatre {
 public:
  // `file`: what the process shares, where the reply says that there is one.
  Reply answer(const Request& request, Fd& file);
  // Puts all of them back, and what they forked that nobody asked for; as often as it takes, for
  // some seconds. What stays, and why; of that nothing is known from then on.
  std::map<pid_t, std::string> close();

 private:
  struct Leaving {
    std::map<pid_t, std::string> left;  // where something stays by now, and why
    pid_t hopping = 0;                  // had ours, and ended before that could be put back
    uint64_t hopped_ns = 0;             // then
  };
  Result<void> open(pid_t pid, Reply& reply, Fd& file);
  const Patient* parent_of(pid_t pid) const;
  bool leave(pid_t pid, Leaving& leaving);
  LeftIn leave_patient(pid_t pid);

  std::map<pid_t, Patient> patients_;
  bool any_ = false;  // there ever were: they may have forked others, and ended
};

}  // namespace compmond::inprocess
