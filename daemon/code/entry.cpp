// SPDX-License-Identifier: Apache-2.0
#include "code/entry.h"

#include <algorithm>
#include <vector>

namespace compmond::code {
namespace {

constexpr int kInstructions =
    32;  // passed at most; prologues are shorter, and what is passed is time not seen

// Instructions that a probe may sit on, in straight line from the first, dearest kinds left out,
// cheapest first. The kernel may turn a 5-byte nop into a call, which writes below %rsp: none where
// the function may keep something there already (its red zone).
std::vector<Site> cheaper_sites(CodeReader& reader, uint64_t start, uint64_t size) {
  std::vector<Site> sites;
  uint64_t at = start;
  bool red_zone = false;
  for (int i = 0; i < kInstructions && at - start < size; ++i) {
    const auto insn = decode(reader.at(at), at);
    if (!insn) break;
    const bool writes_below = insn->site == SiteKind::kNop5;
    if (at != start && insn->site != SiteKind::kStepped && !insn->refusal &&
        !(writes_below && red_zone))
      sites.push_back({at, insn->site});
    if (!insn->may_pass) break;
    red_zone |= insn->below_stack;
    at = insn->next();
  }
  std::ranges::stable_sort(sites, {}, [](const Site& site) {
    return site.kind == SiteKind::kJump ? SiteKind::kPush
                                        : site.kind;  // both are emulated behind one trap
  });
  return sites;
}

// True when a path inside the function comes to (after, last] other than by passing from the
// instruction before.
bool entered_inside(const Graph& graph, uint64_t after, uint64_t last) {
  for (uint64_t at = after + 1; at <= last; ++at) {
    const Node* node = graph.find(at);
    if (!node) continue;
    for (const uint64_t from : node->from)
      if (from < graph.entry() || from + graph.find(from)->length != at ||
          graph.find(from)->target == at)
        return true;
  }
  return false;
}

}  // namespace

Site place_entry(const Memory& memory, const Functions& functions, const Paths& paths,
                 const Site& first, uint64_t size,
                 const std::function<bool(uint64_t, uint64_t)>& jumped_to) {
  if (first.kind != SiteKind::kStepped || paths.stray) return first;
  CodeReader reader(memory);
  for (const Site& site : cheaper_sites(reader, first.vaddr, size)) {
    // Landing pads need no look: the unwinder enters code behind a call, and no call has been
    // passed here.
    if (functions.begins_within(first.vaddr, site.vaddr)) continue;
    if (entered_inside(paths.graph, first.vaddr, site.vaddr)) continue;
    if (!jumped_to(first.vaddr, site.vaddr)) return site;
  }
  return first;
}

uint16_t written_between(CodeReader& reader, uint64_t first, uint64_t entry) {
  uint16_t writes = 0;
  for (uint64_t at = first; at < entry;) {
    const auto insn = decode(reader.at(at), at);
    if (!insn) return UINT16_MAX;
    writes |= insn->writes;
    at = insn->next();
  }
  return writes;
}

}  // namespace compmond::code
