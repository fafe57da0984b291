// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace compmond {

// Exit codes of the program, after sysexits.h. Every error carries the one it leads to.
enum class Exit : int {
  kOk = 0,
  kOverBudget = 1,    // measured, and more than was allowed
  kUsage = 64,        // command line
  kData = 65,         // bad spec, bad log, a pattern that matches nothing
  kNoInput = 66,      // no such process or file
  kUnavailable = 69,  // this kernel lacks a feature
  kInternal = 70,
  kCantCreate = 73,  // an output file cannot be written
  kNoPermission = 77,
};

// An error a caller can act on. `what` failed, `why`, and what to do `next`; each may be shown to a
// person. `next` may be empty. The texts carry no newline at their ends.
struct Error {
  Exit code = Exit::kInternal;
  std::string what;
  std::string why;
  std::string next;

  // "what: why. next" on one line, for messages.
  std::string text() const;
};

template <class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
};

using Unexpected = tl::unexpected<Error>;

// Shorthand: return fail(Exit::kData, "cannot read spec", "…", "…");
inline Unexpected fail(Exit code, std::string what, std::string why, std::string next = {}) {
  return Unexpected(Error{code, std::move(what), std::move(why), std::move(next)});
}

// As fail, with `why` taken from errno (given as `err`).
Unexpected fail_errno(Exit code, std::string what, int err, std::string next = {});

// Whether an errno says that rights are lacking.
bool is_permission(int err);

}  // namespace compmond
