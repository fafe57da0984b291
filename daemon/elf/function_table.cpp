// SPDX-License-Identifier: Apache-2.0
#include "elf/function_table.h"

#include <algorithm>
#include <utility>

#include "core/limits.h"
#include "core/read_at.h"
#include "elf/traits.h"
#include "text/columns.h"
#include "text/utf8.h"

namespace compmond::elf {
namespace {

constexpr uint64_t kFrameTableBytes = uint64_t(64)
                                      << 20;  // browsers, the largest programs, have some 30 MB
constexpr size_t kAliases = 8;                // of one function that are looked at
constexpr size_t kNameReadBytes = 4096;

// "f.cold", "f.cold.3" → "f"; a version as .symtab writes it goes, too.
std::string without_suffix(std::string name) {
  if (const size_t at = name.find('@'); at != name.npos && at > 0) name.resize(at);
  const size_t cold = name.rfind(".cold");
  if (cold == name.npos || cold == 0) return name;
  const size_t behind = cold + std::string_view(".cold").size();
  if (behind == name.size() || name[behind] == '.') name.resize(cold);
  return name;
}

std::string shortened(std::string name) {
  if (name.size() <= limits::kFunctionNameBytes) return name;
  const std::string_view mark = text::ellipsis(true);
  size_t end = limits::kFunctionNameBytes - mark.size();
  while (end > 0 && text::continues(name[end])) --end;
  return name.substr(0, end).append(mark);
}

// malloc rather than __libc_malloc.
size_t underscores(const std::string& name) {
  return std::min(name.find_first_not_of('_'), name.size());
}

}  // namespace

FunctionTable::FunctionTable(const Fd& file, const std::string& path,
                             const Image::DebugFiles& debug_files, Most most,
                             SymbolRanges::Step step)
    : file_(file), step_(std::move(step)) {
  const auto headers = ElfFile::open(file.get(), path);
  if (!headers) return;
  step_();
  read_symbols(*headers, path, debug_files, most);
  if (const Section* frame = headers->section(".eh_frame");
      frame && frame->header.sh_type != SHT_NOBITS)
    eh_frame_ = {frame->header.sh_addr, frame->header.sh_offset,
                 std::min({frame->header.sh_size, kFrameTableBytes, headers->file_size()})};
}

void FunctionTable::read_symbols(const ElfFile& main, const std::string& path,
                                 const Image::DebugFiles& debug_files, Most most) {
  const auto read = [&](std::initializer_list<const ElfFile*> from) {
    symbols_ = SymbolRanges::read(main, from, most.symbols, step_);
    return !symbols_.symbols().empty();
  };
  const bool stripped = !main.section_of_type(SHT_SYMTAB);
  if (stripped) debug_ = find_debug_file(main, read_notes(main).build_id, path, debug_files);
  step_();
  if (debug_ && read({&debug_->file})) return;
  debug_.reset();
  if (stripped)
    embedded_ =
        find_embedded_file(main, std::min(limits::kEmbeddedBytes, most.embedded_bytes), step_);
  if (embedded_ && read({&*embedded_, &main})) return;
  embedded_.reset();
  read({&main});
}

std::optional<FunctionTable::Function> FunctionTable::find(uint64_t vaddr) {
  const SymbolRanges::Range* range = symbols_.find(vaddr);
  if (range && !symbols_.symbols()[range->symbol].unsized)
    return Function{range->start, range->end, name_of(*range)};
  // A symbol without a size goes no further than the description that it lies in.
  if (range) {
    const FrameExtent home = frame_around(range->start);
    const uint64_t end = home.size == 0 ? range->end : std::min(range->end, home.vaddr + home.size);
    if (vaddr < end) return Function{range->start, end, name_of(*range)};
  }
  const FrameExtent frame = frame_around(vaddr);
  if (frame.size == 0) return std::nullopt;
  if (range) return Function{frame.vaddr, std::min(frame.vaddr + frame.size, range->end), {}};
  const SymbolRanges::Range gap = symbols_.gap(vaddr, frame.vaddr, frame.vaddr + frame.size);
  return Function{gap.start, gap.end, {}};
}

FrameExtent FunctionTable::frame_around(uint64_t vaddr) {
  if (!frames_) {
    std::vector<uint8_t> bytes(eh_frame_.size);
    bytes.resize(read_at(file_, bytes.data(), bytes.size(), eh_frame_.offset));
    step_();
    frames_ = read_eh_frame(bytes, eh_frame_.vaddr);
    std::erase_if(*frames_,
                  [](const FrameExtent& one) { return one.vaddr + one.size < one.vaddr; });
    step_();
  }
  const auto behind = std::ranges::upper_bound(*frames_, vaddr, {}, &FrameExtent::vaddr);
  if (behind == frames_->begin()) return {};
  const FrameExtent& one = *std::prev(behind);
  return vaddr - one.vaddr < one.size ? one : FrameExtent{};
}

std::string FunctionTable::name_of(const SymbolRanges::Range& range) const {
  const auto& all = symbols_.symbols();
  const SymbolRanges::Covering& first = all[range.symbol];
  std::string best = raw_name(first);
  for (size_t i = range.symbol + 1; i < all.size() && i < range.symbol + kAliases; ++i) {
    if (all[i].start != first.start || all[i].rank != first.rank || all[i].unsized != first.unsized)
      break;
    std::string other = raw_name(all[i]);
    if (!other.empty() &&
        (best.empty() || std::pair(underscores(other), other) < std::pair(underscores(best), best)))
      best = std::move(other);
  }
  return shortened(demangle(without_suffix(std::move(best))));
}

std::string FunctionTable::raw_name(const SymbolRanges::Covering& symbol) const {
  const SymbolRanges::Strings& strings = symbols_.strings(symbol);
  const uint64_t at = strings.offset + symbol.name;
  if (at >= strings.end) return {};
  std::string name(std::min<uint64_t>(kNameReadBytes, strings.end - at), '\0');
  const ElfFile* other = symbol.file > 0 ? nullptr
                         : debug_        ? &debug_->file
                         : embedded_     ? &*embedded_
                                         : nullptr;
  name.resize(other ? other->read(name.data(), name.size(), at)
                    : read_at(file_, name.data(), name.size(), at));
  name.resize(std::min(name.find('\0'), name.size()));
  return name;
}

}  // namespace compmond::elf
