// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace compmond::history {

// What one operation did during a span of time.
struct Tile {
  uint64_t calls = 0;    // begun
  uint64_t real_ns = 0;  // time on top of a stack
};

// Per operation the calls and real time of tiles 4^k ms wide, at every level k the newest pages of
// them. Where so many operations work that these are more than 256 MiB, the finest level
// is given up, for good. One writer that never waits; readers on any thread retry a little while
// the writer folds (a sequence lock per operation). Contributions may come late: they are counted
// at every level that still holds their time.
class TileLevels {
 public:
  static constexpr int kLevels = 12;  // tiles of the coarsest are 70 min wide
  static constexpr uint64_t width_ns(int level) { return uint64_t(1'000'000) << (2 * level); }

  explicit TileLevels(size_t operations);
  ~TileLevels();

  // Writer.
  void add_call(uint32_t op, uint64_t at_ns) { collect(op, at_ns, 1, 0); }
  void add_real(uint32_t op, uint64_t from_ns, uint64_t to_ns);
  // A call with all its real time, within one tile of the finest level.
  void add_whole(uint32_t op, uint64_t at_ns, uint64_t real_ns) { collect(op, at_ns, 1, real_ns); }

  // Readers. The sum over [from_ns, to_ns); a tile that is only partly inside counts in proportion.
  Tile sum(uint32_t op, uint64_t from_ns, uint64_t to_ns) const;
  // `columns` equal parts; together they make up the whole. Bounds inside a tile of a quarter of a
  // column's width or of the finest level that holds the time count in proportion.
  // A window that ends within the newest millisecond has all of it: `to_ns` is the reader's now.
  std::vector<Tile> columns(uint32_t op, uint64_t from_ns, uint64_t to_ns, size_t columns) const;

  size_t memory_bytes() const;

 private:
  static constexpr uint64_t kPageTiles = 32;
  using Count = std::atomic<uint64_t>;
  struct Page {
    Count number{UINT64_MAX};  // first tile / kPageTiles
    std::array<Count, kPageTiles> calls{};
    std::array<Count, kPageTiles> real{};
  };
  // What fell into one tile of a level and is in no page of it and of the coarser levels yet.
  struct Pending {
    Count begin{0}, calls{0}, real{0};
  };
  struct Level {
    explicit Level(size_t count) : pages(std::make_unique<std::atomic<Page*>[]>(count)) {}
    Pending coarser;  // of the next level
    std::unique_ptr<std::atomic<Page*>[]> pages;
  };
  struct Operation {
    std::atomic<uint64_t> version{0};  // odd while the writer folds
    Pending pending;                   // of the finest level
    std::array<std::atomic<Level*>, kLevels> levels{};
  };

  void collect(uint32_t op, uint64_t at_ns, uint64_t calls, uint64_t real_ns) {
    if (op >= operations_count_) return;
    Operation& operation = operations_[op];
    if (at_ns - operation.pending.begin.load(std::memory_order_relaxed) >= width_ns(0))
      start_pending(operation, at_ns);
    if (calls) increase(operation.pending.calls, calls);
    if (real_ns) increase(operation.pending.real, real_ns);
  }
  // There is one writer, so this needs no atomic addition.
  static void increase(std::atomic<uint64_t>& to, uint64_t by) {
    to.store(to.load(std::memory_order_relaxed) + by, std::memory_order_release);
  }
  void start_pending(Operation& operation, uint64_t at_ns);
  void fold(Operation& operation, Pending& pending, int level, uint64_t next_ns);
  Level& level_of(Operation& operation, int level);
  void add(Operation& operation, int level, uint64_t tile, uint64_t calls, uint64_t real_ns);
  Page* take_page(Operation& operation, int level);
  void give_up_finest(Operation& folding);
  size_t fixed_bytes() const;
  size_t level_bytes() const;
  uint64_t held_since(int level, uint64_t newest_ns) const;
  Tile read(const Operation& operation, int level, uint64_t tile) const;
  Tile sum_once(const Operation& operation, int finest, uint64_t from_ns, uint64_t to_ns,
                uint64_t now_ns) const;
  template <class Read>
  void consistently(const Operation& operation, Read&& read) const;

  size_t operations_count_;
  size_t pages_per_level_, most_pages_;
  std::unique_ptr<Operation[]> operations_;
  std::vector<std::unique_ptr<Level>> owned_levels_;
  std::vector<std::unique_ptr<Page>> owned_pages_;
  std::vector<Page*> free_pages_;  // of levels that were given up
  std::atomic<int> finest_{0};     // level that is held
  std::atomic<size_t> bytes_{0};
  std::atomic<uint64_t> newest_ns_{0};
};

}  // namespace compmond::history
