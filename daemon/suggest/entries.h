// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "suggest/groups.h"
#include "suggest/program.h"
#include "suggest/times.h"

namespace compmond::suggest {

// A function through which others come into a group.
struct Entry {
  uint32_t function = 0;
  Times times = {};  // with it on the stack, by samples
  Times own = {};    // of that what is the group's own
};

// What a group is to those outside of it.
struct Part {
  std::vector<Entry> entries;
  Times own;  // in it: with a function of it, or of no group, innermost, below one of it
};

// Of each of `groups` those entries through which samples saw it entered, the first with the most
// time: as many as nearly all of that goes through. Where nothing was sampled, `most` of those that
// code outside of it calls, or that nothing calls and others may: first what leads to the most code
// of the group.
std::vector<Part> parts_of(const Program& program, const Evidence& evidence,
                           const std::vector<Group>& groups, size_t most);

// Of groups that are no more than most of a file, or what is left of it, the names tell little:
// what heavy entries of theirs lead to becomes a group of its own, until there are `most`. The
// functions stay where they are.
void take_apart(const Program& program, const Evidence& evidence, std::vector<Group>& groups,
                std::vector<Part>& parts, size_t most);

}  // namespace compmond::suggest
