// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace compmond::recording {

// How an engine observes a function.
struct Way {
  std::string exit_mode;          // "return-probe", "ret-sites", "entry-only"
  std::string engine = "uprobe";  // older logs do not say: there was no other
  std::string site;  // where it sees entries, in the engine's word, such as "nop5"; may be empty
  uint64_t moved_by = 0;                 // bytes from the function's start to there
  double inside_ns = 0, outside_ns = 0;  // what an observed call costs (plan::Cost)
  double cheap_less_ns = 0, left_inside_less_ns = 0, left_outside_less_ns = 0,
         stay_ns = 0;  // as there
  struct Range {
    uint64_t vaddr = 0, size = 0;
    bool operator==(const Range&) const = default;
  };
  std::vector<Range> code;    // by which samples know it, as in the file; none: calls are seen
  bool ends_in_jump = false;  // of that: on some path, to another function
  bool operator==(const Way&) const = default;
};

}  // namespace compmond::recording
