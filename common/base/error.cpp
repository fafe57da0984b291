// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstring>

#include "base/result.h"

namespace compmond {

std::string Error::text() const {
  std::string out = what;
  if (!why.empty()) out += ": " + why;
  if (!next.empty()) out += (out.empty() || out.back() == '.' ? " " : ". ") + next;
  return out;
}

// Whatever was given as `next`, a limit of open files is what helps.
Unexpected fail_errno(Exit code, std::string what, int err, std::string next) {
  if (err == EMFILE)
    next = "Raise the limit of open files: ulimit -n (LimitNOFILE= of a service).";
  else if (err == ENFILE)
    next = "Raise the machine's limit of open files: sysctl fs.file-max.";
  return fail(code, std::move(what), std::strerror(err), std::move(next));
}

bool is_permission(int err) { return err == EACCES || err == EPERM; }

}  // namespace compmond
