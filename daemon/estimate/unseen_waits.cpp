// SPDX-License-Identifier: Apache-2.0
#include "estimate/unseen_waits.h"

#include <utility>
#include <vector>

namespace compmond::estimate {
namespace {

double length_of(const Tile& tile) { return double(tile.end_ns - tile.start_ns); }

// (r - s)² × this is the variance.
double scale_of(Window gap, const Tile& before, const Tile& after) {
  const double length = double(gap.length());
  return length * (length + (length_of(before) + length_of(after)) / 2) / 2;
}

// As much of each as in a time at the mean of two rates.
class Mean {
 public:
  Mean(const Tile& before, const Tile& after, Window gap)
      : before_(length_of(before)), after_(length_of(after)), gap_(double(gap.length())) {}

  Sums operator()(const Sums& before, const Sums& after) const {
    Sums out;
    out.blocked_ns = mean(before.blocked_ns, after.blocked_ns);
    out.runnable_ns = mean(before.runnable_ns, after.runnable_ns);
    out.off_cut_ns = mean(before.off_cut_ns, after.off_cut_ns);
    return out;
  }

 private:
  uint64_t mean(uint64_t before, uint64_t after) const {
    return rounded(gap_ * (double(before) / before_ + double(after) / after_) / 2);
  }

  double before_, after_, gap_;
};

// Calls `add(key, before, after)` for each key of either.
template <class Add>
void each_pair(const Tile& before, const Tile& after, Add&& add) {
  auto a = before.rows().begin(), b = after.rows().begin();
  const auto a_end = before.rows().end(), b_end = after.rows().end();
  while (a != a_end || b != b_end) {
    if (b == b_end || (a != a_end && a->key < b->key))
      add(a->key, a->sums, Sums()), ++a;
    else if (a == a_end || b->key < a->key)
      add(b->key, Sums(), b->sums), ++b;
    else
      add(a->key, a->sums, b->sums), ++a, ++b;
  }
}

// Without variances.
Tile fill(const Tile& before, const Tile& after, Window gap) {
  const Mean mean(before, after, gap);
  Tile out(gap.start_ns, gap.end_ns);
  out.totals.off_filled_ns = gap.length();
  out.totals.samples = mean(before.totals.samples, after.totals.samples);
  std::vector<Row> rows;
  each_pair(before, after, [&](Key key, const Sums& a, const Sums& b) {
    rows.push_back({key, mean(a, b)});
  });
  out.add_rows(std::move(rows));
  return out;
}

// Of the difference of two rates, by key.
Tile variances(const Tile& before, const Tile& after, double scale) {
  Tile out(before.end_ns, after.start_ns);
  std::vector<Row> rows;
  each_pair(before, after, [&](Key key, const Sums& a, const Sums& b) {
    const double difference =
        double(a.off_ns()) / length_of(before) - double(b.off_ns()) / length_of(after);
    Sums sums;
    sums.off_variance = rounded(square_us(difference) * scale);
    rows.push_back({key, sums});
  });
  out.add_rows(std::move(rows));
  return out;
}

}  // namespace

void UnseenWaits::on_stretch(const sampling::Stretch& stretch, Tile seen) {
  const bool looked = stretch.off_cpu && stretch.end_ns > stretch.start_ns;
  until_ns_ = stretch.end_ns;
  if (!looked && stretch.hz > 0) return;
  if (looked && before_ && stretch.start_ns > before_->end_ns) {
    const Window gap{before_->end_ns, stretch.start_ns};
    Tile told = fill(*before_, seen, gap);
    changes_scale_ = scale_of(gap, *before_, seen);
    changes_ = variances(*before_, seen, changes_scale_);
    told.add_rows(changes_->rows());
    told_.push(std::move(told));
  }
  before_.reset();
  if (looked) before_ = std::move(seen);
}

std::optional<Tile> UnseenWaits::open() const {
  if (!before_ || until_ns_ <= before_->end_ns) return {};
  const Window gap{before_->end_ns, until_ns_};
  const double scale = scale_of(gap, *before_, *before_);
  Tile out = fill(*before_, *before_, gap);
  if (changes_) {
    for (Row row : changes_->rows()) {
      row.sums.off_variance = rounded(double(row.sums.off_variance) * scale / changes_scale_);
      out.add(row.key, row.sums);
    }
  } else {
    out.add_rows(variances(*before_, Tile(until_ns_, until_ns_ + 1), scale).rows());
  }
  return out;
}

size_t UnseenWaits::memory_bytes() const {
  const auto bytes = [](const std::optional<Tile>& tile) {
    return tile ? tile->memory_bytes() : 0;
  };
  return told_.memory_bytes() + bytes(before_) + bytes(changes_);
}

}  // namespace compmond::estimate
