// SPDX-License-Identifier: Apache-2.0
#include "recording/damage.h"

#include <fmt/format.h>

#include "core/limits.h"
#include "text/numbers.h"

namespace compmond::recording {

std::string to_text(const Damage& damage, uint64_t start_ns) {
  const auto moment = [&](uint64_t ns) {
    return text::moment(double(int64_t(ns - start_ns)), 1e6);
  };
  std::string out;
  if (damage.no_room > 0)
    out = fmt::format("{} bytes from {} on not read: {} MiB of memory are used up", damage.bytes,
                      moment(damage.from_ns), damage.no_room >> 20);
  else if (damage.bytes > 0)
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

std::string sentence(const Damage& damage, uint64_t start_ns) {
  const std::string text = to_text(damage, start_ns);
  if (damage.no_room == 0) return "the log is damaged: " + text;
  return fmt::format(
      "the rest of the log is missing in all figures: {}. Half of what this machine or its control "
      "group has is for logs, {} MiB at most",
      text, limits::kLogMemoryBytes >> 20);
}

}  // namespace compmond::recording
