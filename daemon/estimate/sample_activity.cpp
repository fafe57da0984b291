// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "estimate/sample_store.h"

// What components did over time, for pictures.
namespace compmond::estimate {

namespace {

// Spans of time with what lies evenly in them, added up in equal columns. A span costs the same
// however many columns it covers: those it fills are told by where they begin and end.
class Columns {
 public:
  Columns(Window window, size_t count)
      : start_(double(window.start_ns)),
        width_(double(window.end_ns - window.start_ns) / double(count)),
        edges_(count),
        slope_(count + 1) {}

  // The part of it within [from, to).
  void add(double start_ns, double end_ns, double ns, double from_ns, double to_ns) {
    if (end_ns <= start_ns) return;
    const double density = ns / (end_ns - start_ns);
    const double a = place(std::max(start_ns, from_ns)), b = place(std::min(end_ns, to_ns));
    if (b <= a) return;
    const auto last = double(edges_.size() - 1);
    const auto first_column = size_t(std::min(std::floor(a), last)),
               last_column = size_t(std::min(std::floor(b), last));
    if (first_column == last_column) {
      edges_[first_column] += density * (b - a);
      return;
    }
    edges_[first_column] += density * (double(first_column) + 1 - a);
    edges_[last_column] += density * (b - double(last_column));
    slope_[first_column + 1] += density;
    slope_[last_column] -= density;
  }

  std::vector<uint64_t> times() const {
    std::vector<uint64_t> out;
    double full = 0;
    for (size_t i = 0; i < edges_.size(); ++i) {
      full += slope_[i];
      out.push_back(rounded((full + edges_[i]) * width_));
    }
    return out;
  }

 private:
  double place(double ns) const {
    return std::clamp((ns - start_) / width_, 0.0, double(edges_.size()));
  }

  double start_, width_;
  std::vector<double> edges_;  // columns that are covered in part, in columns
  std::vector<double> slope_;  // by how much the density of those covered whole changes
};

}  // namespace

std::vector<std::vector<uint64_t>> SampleStore::activity(Window window, size_t columns) const {
  const size_t components = model().parent_of.size();
  std::vector<std::vector<uint64_t>> out(components, std::vector<uint64_t>(columns));
  if (columns == 0 || window.end_ns <= window.start_ns) return out;
  std::vector<Columns> rows(components, Columns(window, columns));
  const std::lock_guard lock(mutex_);
  const std::deque<Tile>& tiles = timeline_.tiles();
  const uint64_t known = told_ns();
  const double full = double(std::max(window.start_ns, recent_.complete_since_ns()));
  for (const Tile& tile : tiles) {
    if (tile.end_ns <= window.start_ns || double(tile.start_ns) >= full) continue;
    for (const Row& row : tile.rows())
      if (row.key.kind() == Kind::kComponentOwn)
        rows[row.key.a()].add(double(tile.start_ns), double(tile.end_ns),
                              double(row.sums.on_ns + row.sums.off_ns()), double(window.start_ns),
                              full);
  }
  const auto end = double(std::min(window.end_ns, known));
  recent_.since(uint64_t(full), [&](const RecentSample& sample) {
    if (sample.component < 0 || sample.time_ns >= known) return;
    // A short wait, chosen by chance, and a moment on a CPU stand for more time than they took.
    const auto weight = double(weight_of(sample)), at = double(sample.time_ns);
    rows[size_t(sample.component)].add(at - std::max(weight, double(sample.off_ns)), at, weight,
                                       full, end);
  });
  for (size_t i = 0; i < components; ++i) out[i] = rows[i].times();
  return out;
}

}  // namespace compmond::estimate
