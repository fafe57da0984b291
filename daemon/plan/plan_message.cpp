// SPDX-License-Identifier: Apache-2.0
#include "plan/plan_message.h"

#include <algorithm>
#include <array>

#include "core/byte_stream.h"
#include "core/limits.h"

namespace compmond::spec {

template <class Archive, class Value>
requires std::is_same_v<std::remove_const_t<Value>, Context>
void fields(Archive& archive, Value& context) {
  archive(context.kind, context.type, context.argument);
}

}  // namespace compmond::spec

namespace compmond::elf {

template <class Archive, class Value>
requires std::is_same_v<std::remove_const_t<Value>, Image::Range>
void fields(Archive& archive, Value& range) { archive(range.vaddr, range.size); }

}  // namespace compmond::elf

namespace compmond::plan {

template <class Archive, class Operation>
requires std::is_same_v<std::remove_const_t<Operation>, PlannedOperation>
void fields(Archive& archive, Operation& op) {
  archive(op.component, op.name, op.symbol, op.demangled, op.image, op.interface, op.slo_ms,
          op.landmark, op.waiting, op.contexts, op.pointer, op.vaddr, op.note, op.ways);
}

template <class Archive, class T>
requires std::is_same_v<std::remove_const_t<T>, PlannedTransfer>
void fields(Archive& archive, T& transfer) {
  archive(transfer.kind, transfer.image, transfer.symbol, transfer.ways);
}

template <class Archive, class W>
requires std::is_same_v<std::remove_const_t<W>, Way>
void fields(Archive& archive, W& way) {
  archive(way.engine, way.refused, way.reason, way.exit, way.site, way.moved_by, way.entry_offset,
          way.exits, way.patches, way.prepared, way.needs_calls, way.trusts_images, way.opening,
          way.may_tail_call, way.code, way.ends_in_jump);
}

template <class Archive, class Exit>
requires std::is_same_v<std::remove_const_t<Exit>, ExitPlace>
void fields(Archive& archive, Exit& exit) {
  archive(exit.offset, exit.condition, exit.cheap, exit.target, exit.to_observed);
}

template <class Archive, class Patch>
requires std::is_same_v<std::remove_const_t<Patch>, CodePatch>
void fields(Archive& archive, Patch& patch) {
  archive(patch.kind, patch.offset, patch.bytes, patch.instructions, patch.moved_bytes,
          patch.exits);
}

template <class Archive, class Image>
requires std::is_same_v<std::remove_const_t<Image>, PlannedImage>
void fields(Archive& archive, Image& image) { archive(image.candidate); }

namespace {

constexpr size_t kMostTransfers = 4096;  // a dozen in each of a few hundred files
constexpr size_t kPreparedBytes = 4u << 20;
constexpr size_t kTextBytes = 256u << 10;  // of one text: a symbol has up to 64 KiB

Unexpected no_plan(const char* why) {
  return fail(Exit::kInternal, "the process that reads files gave no valid plan", why,
              "One of the target's files may be made to deceive compmond.");
}

bool sound_texts(const PlannedOperation& op) {
  const std::array texts{&op.name, &op.symbol, &op.demangled, &op.pointer, &op.note};
  return std::ranges::all_of(texts, [](const auto* text) { return text->size() <= kTextBytes; });
}

bool sound_contexts(const PlannedOperation& op) {
  constexpr size_t kMost = 3;
  return op.contexts.size() <= kMost &&
         std::ranges::all_of(op.contexts, [](const spec::Context& context) {
           return context.kind <= spec::ContextKind::kTake &&
                  context.type <= spec::ContextType::kString && context.argument >= 1 &&
                  context.argument <= spec::kContextArguments;
         });
}

// Words of an engine: they are told as they are.
bool sound_word(const std::string& word) {
  constexpr size_t kMost = 32;
  return word.size() <= kMost && std::ranges::all_of(word, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

// Offsets are what the kernel acts on.
bool sound_places(const Way& way, uint64_t file_size) {
  return way.entry_offset < file_size && way.moved_by <= limits::kFunctionBytes &&
         way.exits.size() <= limits::kFunctionBytes &&
         std::ranges::all_of(way.exits, [&](const ExitPlace& exit) {
           return exit.offset < file_size && exit.condition >= code::ExitSite::kAlways &&
                  exit.condition < 16;
         });
}

// As many as a function has bytes, at most.
bool sound_patches(const std::vector<CodePatch>& patches, uint64_t file_size) {
  return patches.size() <= limits::kFunctionBytes &&
         std::ranges::all_of(patches, [&](const CodePatch& patch) {
           return sound_word(patch.kind) && patch.offset < file_size &&
                  patch.bytes <= limits::kFunctionBytes &&
                  patch.moved_bytes <= limits::kFunctionBytes &&
                  patch.instructions <= patch.moved_bytes && patch.exits <= patch.instructions;
         });
}

// Sorted, and none over another: attribution looks addresses up in them.
bool sound_code(const std::vector<elf::Image::Range>& code) {
  uint64_t end = 0;
  return std::ranges::all_of(code, [&](const elf::Image::Range& range) {
    const bool sound =
        range.vaddr >= end && range.size > 0 && range.size <= UINT64_MAX - range.vaddr;
    end = range.vaddr + range.size;
    return sound;
  });
}

bool sound_way(const Way& way, uint64_t file_size) {
  return way.reason.size() <= kTextBytes && way.opening.size() <= kTextBytes &&
         way.exit > spec::ExitMode::kAuto && way.exit <= spec::ExitMode::kEntryOnly &&
         sound_word(way.site) && sound_code(way.code) && sound_patches(way.patches, file_size) &&
         way.prepared.size() <= kPreparedBytes && (way.refused || sound_places(way, file_size));
}

// One of an engine, or two where the first trusts images. An operation may ask for one first, and
// leave others out.
bool sound_order(const std::vector<Way>& ways, std::vector<std::string> engines) {
  for (auto way = ways.begin(); way != ways.end();) {
    if (std::erase(engines, way->engine) == 0) return false;
    const std::string& engine = way->engine;
    const bool trusts = way->trusts_images;
    ++way;
    if (trusts && way != ways.end() && way->engine == engine) ++way;
  }
  return !ways.empty();
}

bool sound_ways(const std::vector<Way>& ways, int image, const Plan& plan,
                const PlanContext& context) {
  return image >= 0 && size_t(image) < plan.images.size() && sound_order(ways, context.engines) &&
         std::ranges::all_of(ways, [&](const Way& way) {
           return sound_way(way, context.files[plan.images[size_t(image)].candidate].size);
         });
}

bool sound(const PlannedOperation& op, const Plan& plan, const PlanContext& context) {
  return op.component >= 0 && size_t(op.component) < context.spec.components.size() &&
         op.interface <= spec::Interface::kOut && sound_texts(op) && sound_contexts(op) &&
         sound_ways(op.ways, op.image, plan, context);
}

bool sound(const PlannedTransfer& transfer, const Plan& plan, const PlanContext& context) {
  return uint8_t(transfer.kind) < kTransfers && transfer.symbol.size() <= kTextBytes &&
         sound_ways(transfer.ways, transfer.image, plan, context) &&
         std::ranges::all_of(transfer.ways, [](const Way& way) {
           return way.refused || way.sampled() || way.exit == spec::ExitMode::kEntryOnly;
         });
}

}  // namespace

std::string to_message(const Plan& plan) {
  ByteWriter writer;
  writer(plan.images);
  writer(plan.operations);
  writer(plan.transfers);
  return writer.take();
}

Result<Plan> plan_from_message(std::string_view message, const PlanContext& context) {
  ByteReader reader(message);
  Plan plan;
  reader(plan.images);
  reader(plan.operations);
  reader(plan.transfers);
  if (!reader.at_end()) return no_plan("its length is wrong");
  if (plan.operations.size() > (context.many ? limits::kOperationsMany : limits::kOperations))
    return no_plan("it has too many operations");
  for (PlannedImage& image : plan.images) {
    if (image.candidate >= context.files.size()) return no_plan("it names a file that is none");
    image.path = context.files[image.candidate].path;
    image.main = context.files[image.candidate].main;
  }
  if (!std::ranges::all_of(plan.operations,
                           [&](const auto& op) { return sound(op, plan, context); }))
    return no_plan("one of its operations is impossible");
  if (plan.transfers.size() > kMostTransfers ||
      !std::ranges::all_of(plan.transfers,
                           [&](const auto& transfer) { return sound(transfer, plan, context); }))
    return no_plan("one of its transfers of control is impossible");
  return plan;
}

}  // namespace compmond::plan
