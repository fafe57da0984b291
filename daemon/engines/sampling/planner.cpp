// SPDX-License-Identifier: Apache-2.0
#include "sampler/planner.h"

#include <algorithm>

namespace compmond::sampler {

std::vector<plan::Way> Planner::plan(const plan::Wanted& wanted) {
  plan::Way out;
  code::CodeScanner& scanner = this->scanner(wanted.image);
  const auto scan = scanner.scan(wanted.function);
  out.code = scanner.parts(wanted.function);
  std::ranges::sort(out.code, {}, &elf::Image::Range::vaddr);
  out.ends_in_jump =
      scan && scan->exits_complete && std::ranges::any_of(scan->exits, &code::ExitSite::tail_jump);
  if (out.code.empty())
    out.reason =
        "nobody knows where it ends: neither its symbol nor unwind information says its size";
  else if (out.ends_in_jump && scan->exits.size() == 1 &&
           scan->exits[0].vaddr == wanted.function.vaddr)
    out.reason =
        "it is nothing but a jump into another function, which has its time: name that one";
  out.refused = !out.reason.empty();
  return {std::move(out)};
}

code::CodeScanner& Planner::scanner(size_t image) {
  if (!scanners_[image])
    scanners_[image] = std::make_unique<code::CodeScanner>(*candidates_[image].image);
  return *scanners_[image];
}

}  // namespace compmond::sampler
