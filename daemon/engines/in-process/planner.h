// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "code/memory.h"
#include "elf/image.h"
#include "patches/patch.h"
#include "patches/patcher.h"
#include "plan/planner.h"

namespace compmond::inprocess {

inline constexpr const char* kEngine = "in-process";          // name of this engine
inline constexpr std::array kSites{"jump", "call", "short"};  // kinds of places, see below

// Where jumps would be written into functions, to be told of calls without the kernel; the exits
// are the function's own (ret-sites) in any case. A way's `site` is "jump", "call" or "short", by
// what tells of the entry, the kinds of its patches are the words for their PatchKind. Each
// function keeps clear of those that were asked for before it. One thread.
class Planner : public plan::Planner {
 public:
  explicit Planner(const std::vector<plan::Candidate>& candidates)
      : candidates_(candidates),
        hindrance_(plan::hindrance_in(candidates)),
        patchers_(candidates.size()),
        memories_(candidates.size()) {}
  std::vector<plan::Way> plan(const plan::Wanted& wanted) override;

 private:
  Patcher& patcher(size_t image);
  std::string prepared(size_t image, const FunctionPatches& patches);

  const std::vector<plan::Candidate>& candidates_;
  const std::string hindrance_;                     // of any of them
  std::vector<std::unique_ptr<Patcher>> patchers_;  // made at first need: they read the whole file
  std::vector<std::unique_ptr<code::Memory>> memories_;  // likewise
};

// As a plan has it, of a function of that image whose exits were asked for.
plan::Way way_of(const FunctionPatches& found, const elf::Symbol& function,
                 const elf::Image& image);

}  // namespace compmond::inprocess
