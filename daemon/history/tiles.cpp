// SPDX-License-Identifier: Apache-2.0
#include "history/tiles.h"

#include <algorithm>

#include "core/limits.h"

namespace compmond::history {
namespace {

// Where every operation works all the time: 4096 tiles per level for up to 330 operations, fewer
// for more. Pages that nothing touches do not exist.
constexpr size_t kTileBytes = 256u << 20;
constexpr size_t kMaxPages = 128;
constexpr size_t kMinPages = 3;
constexpr int kRetries =
    4;  // a reader that meets that many folds shows a picture between two of them

constexpr auto kRead = std::memory_order_acquire;
constexpr auto kWrite = std::memory_order_release;

// Where the part of the time axis ends that holds at_ns, parts being width_ns wide from 0 on. The
// last one ends with the axis.
uint64_t end_of_part(uint64_t at_ns, uint64_t width_ns) {
  const uint64_t begin = at_ns - at_ns % width_ns;
  return width_ns < UINT64_MAX - begin ? begin + width_ns : UINT64_MAX;
}

// floor(value * part / whole), part <= whole.
uint64_t share(uint64_t value, uint64_t part, uint64_t whole) {
  uint64_t product = 0;
  if (!__builtin_mul_overflow(value, part, &product)) return product / whole;  // the quick way
  __extension__ using Wide = unsigned __int128;
  return uint64_t(Wide(value) * part / whole);
}

}  // namespace

TileLevels::TileLevels(size_t operations)
    : operations_count_(operations),
      pages_per_level_(
          std::clamp(kTileBytes / (std::max<size_t>(operations, 1) * kLevels * (sizeof(Page) + 16)),
                     kMinPages, kMaxPages)),
      most_pages_((kTileBytes - operations * fixed_bytes()) / sizeof(Page)),
      operations_(std::make_unique<Operation[]>(operations)) {
  // Else not even the coarsest level would have room, and there would be none to give up.
  static_assert(limits::kOperationsMany *
                    (sizeof(Operation) + kLevels * (sizeof(Level) + kMinPages * sizeof(void*)) +
                     kMinPages * sizeof(Page)) <=
                kTileBytes);
  bytes_ = operations * sizeof(Operation);
}
TileLevels::~TileLevels() = default;

size_t TileLevels::memory_bytes() const { return bytes_.load(std::memory_order_relaxed); }

// Of an operation that works at all levels, beside its pages.
size_t TileLevels::fixed_bytes() const { return sizeof(Operation) + kLevels * level_bytes(); }

size_t TileLevels::level_bytes() const {
  return sizeof(Level) + pages_per_level_ * sizeof(std::atomic<Page*>);
}

uint64_t TileLevels::held_since(int level, uint64_t newest_ns) const {
  if (level < finest_.load(kRead)) return UINT64_MAX;
  const uint64_t page = newest_ns / (width_ns(level) * kPageTiles);
  return page < pages_per_level_ ? 0 : (page - pages_per_level_ + 1) * width_ns(level) * kPageTiles;
}

TileLevels::Level& TileLevels::level_of(Operation& operation, int level) {
  Level* pages = operation.levels[size_t(level)].load(std::memory_order_relaxed);
  if (!pages) {
    pages = owned_levels_.emplace_back(std::make_unique<Level>(pages_per_level_)).get();
    operation.levels[size_t(level)].store(pages, kWrite);
    bytes_ += level_bytes();
  }
  return *pages;
}

// None where the level was given up.
TileLevels::Page* TileLevels::take_page(Operation& operation, int level) {
  while (free_pages_.empty() && owned_pages_.size() >= most_pages_) give_up_finest(operation);
  if (level < finest_.load(std::memory_order_relaxed)) return nullptr;
  if (free_pages_.empty()) {
    bytes_ += sizeof(Page);
    return owned_pages_.emplace_back(std::make_unique<Page>()).get();
  }
  Page* page = free_pages_.back();
  free_pages_.pop_back();
  return page;
}

// A reader that still has one of its pages sees a new version, and looks again.
void TileLevels::give_up_finest(Operation& folding) {
  const int level = finest_.load(std::memory_order_relaxed);
  finest_.store(level + 1, kWrite);
  for (size_t op = 0; op < operations_count_; ++op) {
    Operation& operation = operations_[op];
    if (&operation != &folding) increase(operation.version, 1);
    if (Level* pages = operation.levels[size_t(level)].load(std::memory_order_relaxed))
      for (size_t i = 0; i < pages_per_level_; ++i)
        if (Page* page = pages->pages[i].exchange(nullptr)) free_pages_.push_back(page);
    if (&operation != &folding) increase(operation.version, 1);
  }
}

void TileLevels::add(Operation& operation, int level, uint64_t tile, uint64_t calls,
                     uint64_t real_ns) {
  const uint64_t number = tile / kPageTiles;
  auto& place = level_of(operation, level).pages[number % pages_per_level_];
  Page* page = place.load(std::memory_order_relaxed);
  const bool fresh = !page;
  if (fresh && !(page = take_page(operation, level))) return;
  if (page->number.load(std::memory_order_relaxed) != number || fresh) {
    // What it held before is too old for this level, as callers only add what it still holds, or
    // was another operation's.
    page->number.store(number, kWrite);
    for (auto& count : page->calls) count.store(0, kWrite);
    for (auto& count : page->real) count.store(0, kWrite);
  }
  if (fresh) place.store(page, kWrite);
  if (calls) increase(page->calls[tile % kPageTiles], calls);
  if (real_ns) increase(page->real[tile % kPageTiles], real_ns);
}

// Moves what is pending at a level into its page and to the next coarser level, and makes room for
// the tile that holds next_ns. Between two values of `version` that are even.
void TileLevels::fold(Operation& operation, Pending& pending, int level, uint64_t next_ns) {
  const uint64_t begin = pending.begin.load(std::memory_order_relaxed);
  const uint64_t calls = pending.calls.load(std::memory_order_relaxed);
  const uint64_t real_ns = pending.real.load(std::memory_order_relaxed);
  if (calls > 0 || real_ns > 0) {
    if (begin >= held_since(level, newest_ns_.load(std::memory_order_relaxed)))
      add(operation, level, begin / width_ns(level), calls, real_ns);
    if (level + 1 < kLevels) {
      Pending& coarser = level_of(operation, level).coarser;
      if (begin - coarser.begin.load(std::memory_order_relaxed) >= width_ns(level + 1))
        fold(operation, coarser, level + 1, begin);
      increase(coarser.calls, calls);
      increase(coarser.real, real_ns);
    }
  }
  pending.calls.store(0, kWrite);
  pending.real.store(0, kWrite);
  pending.begin.store(next_ns - next_ns % width_ns(level), kWrite);
}

void TileLevels::start_pending(Operation& operation, uint64_t at_ns) {
  if (at_ns > newest_ns_.load(std::memory_order_relaxed)) newest_ns_.store(at_ns, kWrite);
  increase(operation.version, 1);
  fold(operation, operation.pending, 0, at_ns);
  increase(operation.version, 1);
}

void TileLevels::add_real(uint32_t op, uint64_t from_ns, uint64_t to_ns) {
  if (op >= operations_count_ || from_ns >= to_ns) return;
  Operation& operation = operations_[op];
  const uint64_t pending = operation.pending.begin.load(std::memory_order_relaxed);
  const bool in_pending = from_ns >= pending && to_ns - pending <= width_ns(0);
  if (in_pending || from_ns / width_ns(0) == (to_ns - 1) / width_ns(0))
    return collect(op, from_ns, 0, to_ns - from_ns);
  if (to_ns > newest_ns_.load(std::memory_order_relaxed)) newest_ns_.store(to_ns, kWrite);
  increase(operation.version, 1);
  const uint64_t newest_ns = newest_ns_.load(std::memory_order_relaxed);
  for (int level = 0; level < kLevels; ++level) {
    const uint64_t width = width_ns(level);
    uint64_t at = std::max(from_ns, held_since(level, newest_ns));
    while (at < to_ns) {
      const uint64_t until = std::min(to_ns, end_of_part(at, width));
      add(operation, level, at / width, 0, until - at);
      at = until;
    }
  }
  increase(operation.version, 1);
}

Tile TileLevels::read(const Operation& operation, int level, uint64_t tile) const {
  Tile out;
  if (const Level* pages = operation.levels[size_t(level)].load(kRead)) {
    const Page* page = pages->pages[(tile / kPageTiles) % pages_per_level_].load(kRead);
    if (page && page->number.load(kRead) == tile / kPageTiles) {
      out.calls = page->calls[tile % kPageTiles].load(kRead);
      out.real_ns = page->real[tile % kPageTiles].load(kRead);
    }
  }
  const Pending* pending = &operation.pending;
  for (int finer = 0; finer <= level; ++finer) {
    if (pending->begin.load(kRead) / width_ns(level) == tile) {
      out.calls += pending->calls.load(kRead);
      out.real_ns += pending->real.load(kRead);
    }
    const Level* next = operation.levels[size_t(finer)].load(kRead);
    if (!next) break;  // nothing was folded that far
    pending = &next->coarser;
  }
  return out;
}

// Walks from bound to bound in the largest whole tiles that fit, in parts of the finest held ones
// at the edges. The newest tile of a level is taken to end at the newest millisecond: nothing in it
// can be later.
Tile TileLevels::sum_once(const Operation& operation, int finest, uint64_t from_ns, uint64_t to_ns,
                          uint64_t now_ns) const {
  const uint64_t newest_ns = newest_ns_.load(kRead);
  uint64_t limit = end_of_part(newest_ns, width_ns(0));
  if (now_ns > newest_ns) limit = std::min(limit, now_ns);
  Tile out;
  uint64_t at = from_ns;
  while (at < to_ns && at < limit) {
    int level = finest;
    while (level < kLevels && at < held_since(level, newest_ns)) ++level;
    if (level == kLevels) {  // older than anything held
      at = held_since(kLevels - 1, newest_ns);
      continue;
    }
    while (level + 1 < kLevels && at % width_ns(level + 1) == 0 &&
           to_ns - at >= width_ns(level + 1))
      ++level;
    const uint64_t begin = at / width_ns(level) * width_ns(level);
    const uint64_t width = std::min(width_ns(level), limit - begin);
    const uint64_t until = std::min(to_ns, begin + width);
    const Tile tile = read(operation, level, at / width_ns(level));
    const auto part = [&](uint64_t value) {
      return value == 0 ? 0 : share(value, until - begin, width) - share(value, at - begin, width);
    };
    out.calls += part(tile.calls);
    out.real_ns += part(tile.real_ns);
    at = until;
  }
  return out;
}

template <class Read>
void TileLevels::consistently(const Operation& operation, Read&& read) const {
  for (int attempt = 0; attempt < kRetries; ++attempt) {
    const uint64_t before = operation.version.load(kRead);
    read();
    if (before % 2 == 0 && operation.version.load(kRead) == before) return;
  }
}

Tile TileLevels::sum(uint32_t op, uint64_t from_ns, uint64_t to_ns) const {
  Tile out;
  if (op >= operations_count_) return out;
  consistently(operations_[op],
               [&] { out = sum_once(operations_[op], 0, from_ns, to_ns, UINT64_MAX); });
  return out;
}

std::vector<Tile> TileLevels::columns(uint32_t op, uint64_t from_ns, uint64_t to_ns,
                                      size_t columns) const {
  std::vector<Tile> out(columns);
  if (op >= operations_count_ || from_ns >= to_ns || columns == 0) return out;
  const uint64_t span = to_ns - from_ns;
  int finest = 0;
  while (finest + 1 < kLevels && width_ns(finest + 1) <= span / columns / 4) ++finest;
  consistently(operations_[op], [&] {
    for (size_t i = 0; i < columns; ++i)
      out[i] = sum_once(operations_[op], finest, from_ns + share(span, i, columns),
                        from_ns + share(span, i + 1, columns), to_ns);
  });
  return out;
}

}  // namespace compmond::history
