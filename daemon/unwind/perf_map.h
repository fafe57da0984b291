// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "core/limits.h"

namespace compmond::unwind {

// What a process says of the code that it makes at run time: a text with a line per function,
// "START SIZE NAME", the numbers in hex. Of what overlaps the newest line is true. The text may be
// anything.
class PerfMap {
 public:
  static constexpr size_t kLineBytes = limits::kFunctionNameBytes + 64;  // that are used of one
  explicit PerfMap(size_t most_code) : most_code_(most_code) {}

  // The text goes on with these bytes, which may end within a line.
  void append(std::string_view text);

  struct Code {
    uint64_t end = 0;
    std::string name;    // any bytes; cut with "…" at limits::kFunctionNameBytes
    uint64_t place = 0;  // for who looks it up: of `start`, goes along where only a part stays
  };
  using Found = std::pair<const uint64_t, Code>;  // by start
  Found* find(uint64_t address);                  // null: no line says

  size_t size() const { return code_.size(); }
  uint64_t lines() const { return lines_; }      // whole ones
  uint64_t skipped() const { return skipped_; }  // of these, that say nothing of code
  bool full() const { return full_; }            // later lines are not taken

 private:
  void take(std::string_view line);
  void cut(uint64_t start, uint64_t end);

  size_t most_code_;
  std::map<uint64_t, Code> code_;
  std::string begun_;  // of a line without its end
  uint64_t lines_ = 0, skipped_ = 0;
  bool full_ = false;
};

}  // namespace compmond::unwind
