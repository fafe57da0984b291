// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "base/result.h"

namespace compmond::archive {

// Of a value in a document: the member `key` or, without one, the element `index` of what is around
// it. Lives on the stack while the value is read: only an error puts it into words.
struct Place {
  const Place* outer = nullptr;  // none: the whole document
  const char* key = nullptr;
  size_t index = 0;

  // JSON pointer.
  std::string pointer() const {
    if (!outer) return "";
    return fmt::format("{}/{}", outer->pointer(), key ? key : std::to_string(index));
  }
};

// What all readers of one document share: how it is called, and the first thing wrong with it.
struct Document {
  std::string what;     // "not a snapshot"
  std::string next;     // what to do about it
  bool strict = false;  // unknown keys are errors, and keys that appear twice
  std::optional<Error> error;

  // That it is something else altogether; refuse() tells of one place in it.
  Unexpected not_one(std::string why) const {
    return fail(Exit::kData, what, std::move(why), next);
  }

  void refuse(const Place& place, std::string why) {
    if (error) return;
    error =
        Error{Exit::kData, fmt::format("{}, at '{}'", what, place.pointer()), std::move(why), next};
  }
};

}  // namespace compmond::archive
