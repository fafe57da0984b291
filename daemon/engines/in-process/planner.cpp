// SPDX-License-Identifier: Apache-2.0
#include "inprocess/planner.h"

#include <algorithm>
#include <string>
#include <utility>

#include "trampolines/portable.h"

namespace compmond::inprocess {
namespace {

plan::Way refused(std::string reason) {
  plan::Way out;
  out.refused = true;
  out.reason = std::move(reason);
  return out;
}

const char* site_of(PatchKind entry) {
  if (entry == PatchKind::kFirstCall) return "call";
  return entry == PatchKind::kShortEntry ? "short" : "jump";
}

Result<plan::CodePatch> located(const Patch& patch, const elf::Image& image) {
  const auto offset = image.file_offset(patch.at);
  if (!offset) return Unexpected(offset.error());
  plan::CodePatch out{to_text(patch.kind), *offset, patch.size};
  if (patch.springboard) out.bytes += Patch::kJump;
  out.instructions = uint32_t(patch.moved.size());
  for (const Patch::Moved& moved : patch.moved) {
    out.moved_bytes += moved.length;
    out.exits += moved.exit;
  }
  return out;
}

Result<plan::ExitPlace> located(const code::ExitSite& exit, const elf::Image& image) {
  const auto offset = image.file_offset(exit.vaddr);
  if (!offset) return Unexpected(offset.error());
  return plan::ExitPlace{*offset, exit.condition, false, exit.target};
}

// False, with the reason in `way`, where one has no place in the file.
template <class Places, class Out>
bool locate(const Places& places, const elf::Image& image, Out& out, plan::Way& way) {
  for (const auto& place : places) {
    auto found = located(place, image);
    if (!found) {
      way = refused(found.error().text());
      return false;
    }
    out.push_back(std::move(*found));
  }
  return true;
}

}  // namespace

plan::Way way_of(const FunctionPatches& found, const elf::Symbol& function,
                 const elf::Image& image) {
  if (found.refused()) return refused(found.refusal);
  const Patch& entry = found.patches.front();
  plan::Way out;
  out.exit = spec::ExitMode::kRetSites;
  out.site = site_of(entry.kind);
  out.moved_by = entry.at - function.vaddr;
  out.may_tail_call = std::ranges::any_of(found.exits, &code::ExitSite::tail_jump);
  if (locate(found.patches, image, out.patches, out) && locate(found.exits, image, out.exits, out))
    out.entry_offset = out.patches.front().offset;
  return out;
}

std::vector<plan::Way> Planner::plan(const plan::Wanted& wanted) {
  const elf::Image& image = *candidates_[wanted.image].image;
  if (image.traits().go) return {refused("Go's threads are not known to this engine")};
  if (wanted.exit == spec::ExitMode::kReturnProbe)
    return {refused(
        "a return probe is asked for, and this engine sees exits at their own places: leave "
        "return-probe out")};
  if (std::ranges::any_of(wanted.contexts, [](const spec::Context& context) {
        return context.type == spec::ContextType::kString;
      }))
    return {refused(
        "one of its arguments points to a text, and patched code touches no memory that may not be "
        "there")};
  const bool exits = wanted.exit != spec::ExitMode::kEntryOnly;
  Asked asked{exits, wanted.may_move, {}};
  for (const spec::Context& context : wanted.contexts)
    asked.values.push_back(plan::register_of(context));
  const FunctionPatches found = patcher(wanted.image).plan(wanted.function, asked);
  plan::Way out = way_of(found, wanted.function, image);
  if (!out.refused) out.prepared = prepared(wanted.image, found);
  if (!exits) out.exit = spec::ExitMode::kEntryOnly;
  if (!out.refused && !hindrance_.empty())
    out.reason = "patching takes system calls of the process, and as it runs now " + hindrance_;
  return {std::move(out)};
}

std::string Planner::prepared(size_t image, const FunctionPatches& patches) {
  if (!memories_[image]) memories_[image] = code::memory_of(*candidates_[image].image);
  const auto code = portable(*memories_[image], patches);
  return code ? packed(*code) : std::string();
}

Patcher& Planner::patcher(size_t image) {
  if (!patchers_[image]) patchers_[image] = std::make_unique<Patcher>(*candidates_[image].image);
  return *patchers_[image];
}

}  // namespace compmond::inprocess
