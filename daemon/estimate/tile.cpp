// SPDX-License-Identifier: Apache-2.0
#include "estimate/tile.h"

#include <algorithm>
#include <iterator>

namespace compmond::estimate {

namespace {

bool countless(Kind kind) {
  return kind == Kind::kThread || kind == Kind::kProcess || kind == Kind::kProcessCpu ||
         kind == Kind::kElsewhere;
}

uint64_t time_of(const Row& row) { return row.sums.on_ns + row.sums.off_ns(); }

}  // namespace

void Tile::add(Key key, const Sums& sums) {
  const auto at = std::ranges::lower_bound(rows_, key, {}, &Row::key);
  if (at != rows_.end() && at->key == key) {
    at->sums += sums;
    return;
  }
  rows_.insert(at, {key, sums});
  if (rows_.size() > kRowsMost) fold();
}

void Tile::add_rows(std::vector<Row> rows) {
  std::ranges::sort(rows, {}, &Row::key);
  auto fresh = rows.begin();
  auto mine = rows_.begin();
  for (const Row& row : rows) {
    mine = std::ranges::lower_bound(mine, rows_.end(), row.key, {}, &Row::key);
    if (mine != rows_.end() && mine->key == row.key)
      mine->sums += row.sums;
    else
      *fresh++ = row;
  }
  rows.erase(fresh, rows.end());
  if (rows.empty()) return;
  merge(rows);
  if (rows_.size() > kRowsMost) fold();
}

// From behind, so that what is there moves once: the sum of a run has thousands of rows, and takes
// in some hundred others a second.
void Tile::merge(const std::vector<Row>& fresh) {
  size_t mine = rows_.size(), other = fresh.size();
  rows_.resize(mine + other, fresh.front());
  for (size_t to = rows_.size(); other > 0;) {
    const bool mine_is_last = mine > 0 && fresh[other - 1].key < rows_[mine - 1].key;
    rows_[--to] = mine_is_last ? rows_[--mine] : fresh[--other];
  }
}

void Tile::extend(const Tile& next) {
  end_ns = next.end_ns;
  merged = std::max(merged, next.merged) + 1;
  totals += next.totals;
  add_rows(next.rows_);
}

const Sums* Tile::find(Key key) const {
  const auto at = std::ranges::lower_bound(rows_, key, {}, &Row::key);
  return at != rows_.end() && at->key == key ? &at->sums : nullptr;
}

// Makes room for a quarter more, so that this is rare.
void Tile::fold() {
  std::vector<uint64_t> times;
  for (const Row& row : rows_)
    if (countless(row.key.kind()) && row.key.a() < Key::kOthers) times.push_back(time_of(row));
  const size_t folded = std::min(times.size(), rows_.size() - kRowsMost * 3 / 4);
  if (folded == 0) return;
  const auto last = times.begin() + ptrdiff_t(folded - 1);
  std::ranges::nth_element(times, last);
  std::vector<Row> kept, others;
  for (const Row& row : rows_) {
    if (!countless(row.key.kind()) || row.key.a() >= Key::kOthers || time_of(row) > *last) {
      kept.push_back(row);
      continue;
    }
    const Key key(row.key.kind(), Key::kOthers);
    if (others.empty() || others.back().key != key) others.push_back({key, {}});
    others.back().sums += row.sums;
  }
  kept.shrink_to_fit();
  rows_ = std::move(kept);
  for (const Row& row : others) add(row.key, row.sums);
}

}  // namespace compmond::estimate
