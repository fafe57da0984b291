// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "snapshot/estimated.h"
#include "snapshot/words.h"

// What the report "inside" tells: in which functions the time of a part goes, from samples.
namespace compmond::snapshot {

// How the time of something was spent.
struct Spent {
  Estimate cpu_ns;      // on a CPU
  Estimate waiting_ns;  // blocked, or waiting for a CPU
  Estimate all_ns;      // both together
  // That all_ns rests on; below kFewSamples only its high end means something.
  uint64_t samples = 0;
  // Lower bounds are waiting_ns and all_ns: not all waits were looked at, or stacks were cut before
  // the part was met; cpu_ns and all_ns: likewise, the latter.
  bool at_least = false, cpu_at_least = false;
  bool operator==(const Spent&) const = default;
};
// For who shows estimates: all_ns as net_real_ns.
Estimated estimated_of(const Spent& spent);

struct Inside {
  struct Function {
    std::string name;               // empty: its file has no symbol there
    std::string image;              // path of its file, as its process sees it; empty: none
    std::optional<uint64_t> start;  // address in the file; none: all code there that is in no known
                                    // function, and where there is no file
    Word<Whose> whose;
    Spent own;    // it was innermost; of a function that only called the part: nothing
    Spent total;  // it was anywhere inside; once per sample, however often it is on the stack
    std::string short_name = {};  // without types; empty: as name, or that of another one here
    bool operator==(const Function&) const = default;
  };
  // The end of a path; its times are those of the path.
  struct Node {
    int32_t parent = -1;
    int32_t function = -1;  // in functions; -1: the root
    double own_cpu_ns = 0, own_waiting_ns = 0;
    double cpu_ns = 0, waiting_ns = 0;  // with all below; also of nodes beyond the limit
    uint64_t samples = 0;               // of these
    bool operator==(const Node&) const = default;
  };

  Spent total;                      // of the part
  std::vector<Function> functions;  // those with the most own time first; those that only called
                                    // the part (total.samples is 0) last
  // Parents before children, siblings together, the one with the most time first; [0] is the root.
  std::vector<Node> callees;   // from the part's outermost function to the innermost one
  std::vector<Node> callers;   // from the part outwards, to the thread's first function
  bool complete = true;        // false: the window begins before the oldest sample that is kept
  uint64_t without_stack = 0;  // samples of the window, of whatever part, whose stack was forgotten
  uint64_t folded = 0;         // samples of the part whose path ends early, for there are too many
  uint64_t taken = 0;          // samples of the window, of whatever part
  uint64_t truncated = 0, broken = 0;  // of these: stacks whose first callers are missing
  uint64_t lost = 0;                   // in addition, on their way: their waiting is missing
  double off_cpu_share = 0;            // of the time, in which waiting was sampled
  double all_cpu_ns = 0;               // that the processes used in the window, exactly
  bool operator==(const Inside&) const = default;
};

// "2.1 % of all stacks cut, 0.3 % broken": what times may be more for; empty: none is.
std::string cut_text(const Inside& inside);

// What a function is called where it is shown, also one without a name.
std::string label(const Inside::Function& function);

// As of ReportContent.
bool well_formed(const Inside& content);

}  // namespace compmond::snapshot
