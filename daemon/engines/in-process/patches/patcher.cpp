// SPDX-License-Identifier: Apache-2.0
#include "patches/patcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "code/paths.h"
#include "patches/entry.h"
#include "patches/exits.h"

namespace compmond::inprocess {
namespace {

// Bytes of it that some code names as data, and no path leads to.
std::optional<uint64_t> data_inside(const CodeMap& map, const code::Paths& paths) {
  for (const elf::Image::Range& code : paths.stretches)
    for (const uint64_t at : map.data_in(code.vaddr + 1, code.vaddr + code.size)) {
      const code::Node* node = paths.graph.find(at);
      if (!node || node->from.empty()) return at;
    }
  return std::nullopt;
}

FunctionPatches refused(std::string why) {
  FunctionPatches out;
  out.refusal = std::move(why);
  return out;
}

}  // namespace

Patcher::Patcher(const elf::Image& image) : map_(image) {
  for (const elf::Image::Range& code : map_.restartable()) ledger_.take(code.vaddr, code.size);
}

FunctionPatches Patcher::plan(const elf::Symbol& function, const Asked& asked) {
  if (function.kind == elf::SymbolKind::kIfunc)
    return refused("it chooses a function while the program is loaded");
  const uint64_t size = map_.size_of(function);
  if (size == 0) return refused("neither its symbol nor unwind information says how long it is");
  code::Paths paths = code::follow_paths(map_.memory(), map_.functions(), function.vaddr, size);
  if (!paths.complete) return refused("not all ways out of it are known: " + paths.reason);
  if (paths.restarts) return refused("it jumps back to its start, and each round would be a call");
  if (std::ranges::any_of(paths.stretches,
                          [&](const auto& code) { return map_.is_restartable(code); }))
    return refused(
        "it has, or goes on for, a restartable sequence (rseq), of which nothing may be moved");
  if (const auto data = data_inside(map_, paths))
    return refused(
        fmt::format("it has data in its code at {}", code::place_in(paths.graph.entry(), *data)));
  auto entry = place_entry(map_, paths, ledger_, asked);
  if (!entry) return refused(entry.error().why);
  FunctionPatches out;
  out.patches.push_back(std::move(*entry));
  out.values = asked.values;
  if (asked.exits) {
    if (const auto placed = place_exits(map_, paths, ledger_, out); !placed)
      return refused(placed.error().why);
    out.exits = std::move(paths.exits);
  }
  for (const Patch& patch : out.patches) {
    ledger_.take(patch.at, patch.size);
    if (patch.springboard) ledger_.take(patch.springboard, Patch::kJump);
  }
  return out;
}

}  // namespace compmond::inprocess
