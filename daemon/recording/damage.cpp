// SPDX-License-Identifier: Apache-2.0
#include "recording/damage.h"

#include <fmt/format.h>

#include "text/numbers.h"

namespace compmond::recording {

std::string to_text(const Damage& damage, uint64_t start_ns) {
  const auto moment = [&](uint64_t ns) {
    return text::moment(double(int64_t(ns - start_ns)), 1e6);
  };
  std::string out;
  if (damage.bytes > 0)
    out =
        fmt::format("{} bytes unreadable at {} of '{}'", damage.bytes, damage.offset, damage.file);
  const auto add_missing = [&](uint64_t count, const char* what) {
    if (count > 0)
      out += fmt::format("{}{} {} between {} and {} missing", out.empty() ? "" : ", ", count, what,
                         moment(damage.from_ns), moment(damage.to_ns));
  };
  add_missing(damage.events, "events");
  add_missing(damage.samples, "samples");
  return out;
}

}  // namespace compmond::recording
