// SPDX-License-Identifier: Apache-2.0
#include "patches/code_map.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "code/insn.h"
#include "patches/patch.h"
#include "patches/restartable.h"

namespace compmond::inprocess {
namespace {

using Range = elf::Image::Range;

constexpr uint64_t kCodeAtOnce = 4 << 20;  // bytes in memory
constexpr uint64_t kMostPadding = 64;      // bytes: what is longer is something else

uint64_t end_of(const Range& range) { return range.vaddr + range.size; }

void sort_once(std::vector<uint64_t>& all) {
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
}

// What symbols and unwind information bound, by address, without overlaps: where they disagree, the
// later one begins anew.
std::vector<Range> bounded_code(const elf::Image& image) {
  std::vector<Range> all = image.described();
  for (const elf::Symbol& symbol : image.symbols())
    if (symbol.kind == elf::SymbolKind::kFunction || symbol.kind == elf::SymbolKind::kIfunc)
      all.push_back({symbol.vaddr, symbol.size});
  std::ranges::sort(all, [](const Range& one, const Range& other) {
    return one.vaddr != other.vaddr ? one.vaddr < other.vaddr : one.size > other.size;
  });
  std::vector<Range> out;
  for (const Range& range : all) {
    if (!out.empty() && out.back().vaddr == range.vaddr) continue;
    if (!out.empty() && end_of(out.back()) > range.vaddr) {
      // What goes on behind one that lies inside is decoded from that one's start.
      const uint64_t end = std::max(end_of(out.back()), end_of(range));
      out.back().size = range.vaddr - out.back().vaddr;
      out.push_back({range.vaddr, end - range.vaddr});
    } else if (range.size > 0) {
      out.push_back(range);
    }
  }
  return out;
}

bool is_padding(std::span<const uint8_t> bytes, uint64_t vaddr) {
  for (size_t at = 0; at < bytes.size();) {
    const auto insn = code::decode(
        bytes.subspan(at, std::min(bytes.size() - at, code::kLongestInsn)), vaddr + at);
    if (!insn ||
        (insn->raw.mnemonic != ZYDIS_MNEMONIC_NOP && insn->raw.mnemonic != ZYDIS_MNEMONIC_INT3))
      return false;
    at += insn->length;
  }
  return true;
}

}  // namespace

CodeMap::CodeMap(const elf::Image& image)
    : image_(image),
      memory_(code::memory_of(image)),
      functions_(image.symbols()),
      restartable_(restartable_code(image)) {
  const std::vector<Range> bounded = bounded_code(image);
  for (const Range& range : image.described()) begins_.push_back(range.vaddr);
  for (const elf::Symbol* function : functions_.all()) begins_.push_back(function->vaddr);
  sort_once(begins_);
  for (const Range& text : memory_->text()) {
    uint64_t at = text.vaddr;
    auto code = std::ranges::lower_bound(bounded, at, {}, &Range::vaddr);
    for (; code != bounded.end() && code->vaddr < end_of(text); ++code) {
      sweep_each_byte({at, code->vaddr - at});
      const Range inside{code->vaddr, std::min(end_of(*code), end_of(text)) - code->vaddr};
      sweep(inside);
      at = end_of(inside);
    }
    sweep_each_byte({at, end_of(text) - at});
  }
  sort_once(targets_);
  sort_once(data_);
  find_padding(bounded);
}

uint64_t CodeMap::size_of(const elf::Symbol& function) const {
  return function.size > 0 ? function.size : image_.fde_size(function.vaddr);
}

void CodeMap::sweep(Range code) {
  while (code.size > 0) {
    const auto bytes = memory_->read(code.vaddr, std::min(code.size, kCodeAtOnce));
    size_t at = 0;
    const bool last = bytes.size() >= code.size || bytes.size() < kCodeAtOnce;
    while (at < bytes.size() && (last || bytes.size() - at >= code::kLongestInsn)) {
      const auto rest =
          std::span(bytes).subspan(at, std::min(bytes.size() - at, code::kLongestInsn));
      const code::Step step = code::step(rest, code.vaddr + at);
      if (step.length == 0) return sweep_each_byte({code.vaddr + at, code.size - at});
      know(step);
      at += step.length;
    }
    if (at == 0) return;
    const uint64_t done = std::min<uint64_t>(at, code.size);
    code = {code.vaddr + done, code.size - done};
  }
}

void CodeMap::sweep_each_byte(Range code) {
  for (uint64_t done = 0; done < code.size; done += kCodeAtOnce) {
    const uint64_t size = std::min(code.size - done, kCodeAtOnce), vaddr = code.vaddr + done;
    const auto bytes = memory_->read(vaddr, size + code::kLongestInsn);
    for (size_t at = 0; at < bytes.size() && at < size; ++at) {
      const auto rest =
          std::span(bytes).subspan(at, std::min(bytes.size() - at, code::kLongestInsn));
      const code::Step step = code::step(rest, vaddr + at);
      know(step);
    }
  }
}

void CodeMap::know(const code::Step& step) {
  if (step.target != 0) targets_.push_back(step.target);
  const auto& text = memory_->text();
  if (step.data != 0 && !text.empty() && step.data >= text.front().vaddr &&
      step.data < end_of(text.back()))
    data_.push_back(step.data);
}

// Between what is bounded, up to the next one's start, nothing falls into it.
void CodeMap::find_padding(const std::vector<Range>& bounded) {
  for (size_t i = 0; i + 1 < bounded.size(); ++i) {
    const uint64_t begin = end_of(bounded[i]), end = bounded[i + 1].vaddr;
    if (end - begin < Patch::kJump || end - begin > kMostPadding) continue;
    const auto bytes = memory_->read(begin, end - begin);
    if (bytes.size() == end - begin && is_padding(bytes, begin) && !led_into(begin - 1, end - 1) &&
        data_in(begin, end).empty())
      padding_.push_back({begin, end - begin});
  }
}

bool CodeMap::begins(uint64_t vaddr) const { return std::ranges::binary_search(begins_, vaddr); }

bool CodeMap::led_into(uint64_t after, uint64_t last) const {
  const auto next = std::ranges::upper_bound(targets_, after);
  return next != targets_.end() && *next <= last;
}

bool CodeMap::named(uint64_t begin, uint64_t end) const {
  const bool nobody_knows = memory_->pointed_into(0, 0);
  return !data_in(begin, end).empty() ||
         (!nobody_knows && memory_->pointed_into(begin - 1, end - 1));
}

std::span<const uint64_t> CodeMap::data_in(uint64_t begin, uint64_t end) const {
  const auto first = std::ranges::lower_bound(data_, begin);
  return {first, std::ranges::lower_bound(first, data_.end(), end)};
}

bool CodeMap::is_restartable(const Range& code) const {
  const auto next = std::ranges::lower_bound(restartable_, end_of(code), {}, &Range::vaddr);
  return next != restartable_.begin() && end_of(*std::prev(next)) > code.vaddr;
}

}  // namespace compmond::inprocess
