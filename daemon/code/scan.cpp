// SPDX-License-Identifier: Apache-2.0
#include "code/scan.h"

#include <optional>

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

  // The paths of the function with this body, followed anew unless it was the last one.
  const Paths& follow(const elf::Image::Range& body) {
    if (!followed || followed->stretches.front().vaddr != body.vaddr ||
        followed->stretches.front().size != body.size)
      followed.emplace(follow_paths(*memory, functions, body.vaddr, body.size));
    return *followed;
  }

  const elf::Image& image;
  std::unique_ptr<Memory> memory;
  Functions functions;
  std::optional<JumpTargets> targets;
  std::optional<Paths> followed;  // the function that was asked about last
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

  FunctionScan scan;
  scan.size = impl_->size_of(function);
  if (scan.size == 0) {
    scan.incomplete_reason = "neither its symbol nor unwind information says how long it is";
    return scan;
  }
  const Paths& paths = impl_->follow({function.vaddr, scan.size});
  scan.exits = paths.exits;
  scan.exits_complete = paths.complete;
  scan.incomplete_reason = paths.reason;
  scan.restarts = paths.restarts;
  return scan;
}

bool CodeScanner::entered_within(const elf::Symbol& function, uint64_t last) {
  const Paths& paths = impl_->follow({function.vaddr, impl_->size_of(function)});
  return paths.stray || impl_->functions.begins_within(function.vaddr, last) ||
         paths.graph.entered_within(last) || impl_->jumped_to(function.vaddr, last);
}

std::vector<elf::Image::Range> CodeScanner::parts(const elf::Symbol& function) {
  const uint64_t size = impl_->size_of(function);
  if (size == 0) return {};
  return impl_->follow({function.vaddr, size}).stretches;
}

}  // namespace compmond::code
