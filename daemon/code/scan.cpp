// SPDX-License-Identifier: Apache-2.0
#include "code/scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "code/entry.h"
#include "code/insn.h"
#include "code/memory.h"
#include "code/paths.h"
#include "code/targets.h"

namespace compmond::code {

struct CodeScanner::Impl {
  explicit Impl(const elf::Image& of) : image(of), memory(memory_of(of)), functions(of.symbols()) {}

  bool jumped_to(uint64_t after, uint64_t last) {
    if (!targets) targets.emplace(*memory, functions);
    return targets->any_within(after, last);
  }

  // 0 when nothing says.
  uint64_t size_of(const elf::Symbol& function) const {
    return function.size > 0 ? function.size : image.fde_size(function.vaddr);
  }

  Paths follow(uint64_t vaddr, uint64_t size) {
    Paths paths = follow_paths(*memory, functions, vaddr, size);
    last_parts = paths.stretches;
    return paths;
  }

  const elf::Image& image;
  std::unique_ptr<Memory> memory;
  Functions functions;
  std::optional<JumpTargets> targets;
  std::vector<elf::Image::Range> last_parts;  // of the function that was followed last
};

CodeScanner::CodeScanner(const elf::Image& image) : impl_(std::make_unique<Impl>(image)) {}
CodeScanner::~CodeScanner() = default;

Result<FunctionScan> CodeScanner::scan(const elf::Symbol& function) {
  const std::string what = "cannot observe " + function.demangled;
  if (auto offset = impl_->image.file_offset(function.vaddr); !offset)
    return Unexpected(offset.error());
  CodeReader reader(*impl_->memory);
  const auto insn = decode(reader.at(function.vaddr), function.vaddr);
  if (!insn)
    return fail(Exit::kData, what, "its first bytes are no instruction",
                "Is the symbol a function?");
  if (insn->refusal)
    return fail(Exit::kData, what, insn->refusal, "Observe its callers or what it calls instead");

  FunctionScan scan;
  scan.first = scan.entry = {function.vaddr, insn->site};
  const uint64_t size = impl_->size_of(function);
  if (size == 0) {
    scan.incomplete_reason = "neither its symbol nor unwind information says how long it is";
    return scan;
  }
  Paths paths = impl_->follow(function.vaddr, size);
  if (paths.restarts)
    return fail(Exit::kData, what,
                "it jumps back to its first instruction: each round would look like a call",
                "Observe its callers instead");
  scan.entry =
      place_entry(*impl_->memory, impl_->functions, paths, scan.first, size,
                  [this](uint64_t after, uint64_t last) { return impl_->jumped_to(after, last); });
  scan.moved_by = scan.entry.vaddr - scan.first.vaddr;
  scan.passed_writes = written_between(reader, scan.first.vaddr, scan.entry.vaddr);
  scan.exits = std::move(paths.exits);
  scan.exits_complete = paths.complete;
  scan.incomplete_reason = std::move(paths.reason);
  if (paths.complete && std::ranges::count(scan.exits, scan.first.vaddr, &ExitSite::vaddr) > 0) {
    scan.exits_complete = false;
    scan.incomplete_reason = "its first instruction is already its exit";
  }
  return scan;
}

std::vector<elf::Image::Range> CodeScanner::parts(const elf::Symbol& function) {
  const uint64_t size = impl_->size_of(function);
  if (size == 0) return {};
  const elf::Image::Range body{function.vaddr, size};
  if (impl_->last_parts.empty() || impl_->last_parts.front().vaddr != body.vaddr ||
      impl_->last_parts.front().size != body.size)
    (void)impl_->follow(body.vaddr, body.size);
  return impl_->last_parts;
}

}  // namespace compmond::code
