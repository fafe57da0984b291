// SPDX-License-Identifier: Apache-2.0
#include "estimate/tile_builder.h"

#include <algorithm>

namespace compmond::estimate {

namespace {

struct Counted {
  uint64_t samples = 0, cut = 0;
  uint64_t squares = 0, products = 0;           // Σ k_m², Σ k_m n_m
  uint64_t moment = UINT64_MAX, in_moment = 0;  // the newest one

  void add(uint64_t this_moment, uint64_t moment_samples, bool is_cut) {
    if (moment != this_moment) moment = this_moment, in_moment = 0;
    squares += 2 * in_moment + 1;
    ++in_moment;
    products += moment_samples;
    ++samples;
    cut += is_cut;
  }
};

template <class Sample, class Add>
void each_key(const Sample& sample, Add&& add) {
  for (const Key key : sample.attributed->own) add(key);
  for (const Key key : sample.attributed->within) add(key);
  add(Key(Kind::kThread, sample.pid, sample.tid));
  add(Key(Kind::kProcess, sample.pid));
}

double square_us(double ns) { return ns / 1000 * (ns / 1000); }

class Group {
 public:
  Group(std::vector<OnSample>& samples, double weight_ns)
      : samples_(samples), weight_ns_(weight_ns) {
    std::ranges::sort(samples_, {}, &OnSample::time_ns);
    for (size_t at = 0, end; at < samples_.size(); at = end) {
      for (end = at + 1; end < samples_.size(); ++end)
        if (double(samples_[end].time_ns - samples_[at].time_ns) >= moment_ns(weight_ns)) break;
      count(at, end);
    }
  }

  std::vector<Row> rows() const {
    std::vector<Row> out;
    out.reserve(keys_.size());
    for (const auto& [key, counted] : keys_) out.push_back({key, sums(counted)});
    return out;
  }

 private:
  void count(size_t begin, size_t end) {
    const uint64_t in_moment = end - begin;
    for (size_t i = begin; i < end; ++i) {
      const OnSample& sample = samples_[i];
      const auto add = [&](Key key) {
        keys_[key].add(moments_, in_moment, sample.attributed->cut);
      };
      each_key(sample, add);
      if (sample.in_probe) add(Key(Kind::kInProbe, Key::kAll));
    }
    ++moments_;
    squares_ += in_moment * in_moment;
  }

  Sums sums(const Counted& counted) const {
    const double n = double(samples_.size()), k = double(counted.samples), p = k / n;
    double independent = 1, by_moment = 1;
    if (k < n) {
      independent = n * p * (1 - p) * n / (n - 1);
      by_moment =
          double(counted.squares) - 2 * p * double(counted.products) + p * p * double(squares_);
      // All in one moment: nothing is known of how they depend on each other.
      by_moment *= moments_ > 1 ? double(moments_) / double(moments_ - 1) : 0;
      by_moment = std::max(by_moment, moments_ > 1 ? 0 : independent);
    }
    Sums out;
    out.on_samples = counted.samples;
    out.on_ns = rounded(weight_ns_ * k);
    out.on_cut_ns = rounded(weight_ns_ * double(counted.cut));
    out.on_variance = rounded(square_us(weight_ns_) * independent);
    out.on_moment_variance = rounded(square_us(weight_ns_) * by_moment);
    return out;
  }

  std::vector<OnSample>& samples_;
  double weight_ns_;
  tsl::robin_map<Key, Counted, KeyHash> keys_;
  uint64_t moments_ = 0, squares_ = 0;
};

void count_end(Totals& totals, sampling::Ended ended, bool on_cpu, const Attributed& attributed) {
  if (ended == sampling::Ended::kTruncated) ++(on_cpu ? totals.on_truncated : totals.off_truncated);
  if (ended == sampling::Ended::kBroken) ++(on_cpu ? totals.on_broken : totals.off_broken);
  if (attributed.cut && attributed.operation == kNoOperation) ++totals.unplaced;
}

}  // namespace

void add_on_cpu(Tile& to, std::vector<OnSample> samples, double weight_ns) {
  if (samples.empty()) return;
  to.add_rows(Group(samples, weight_ns).rows());
  uint64_t cut = 0;
  for (const OnSample& sample : samples) {
    count_end(to.totals, sample.ended, true, *sample.attributed);
    cut += sample.attributed->cut;
  }
  const double n = double(samples.size());
  to.totals.samples.on_samples += samples.size();
  to.totals.samples.on_ns += rounded(weight_ns * n);
  to.totals.samples.on_cut_ns += rounded(weight_ns * double(cut));
  to.totals.on_square += rounded(square_us(weight_ns) * n);
}

Sums wait_sums(const OffSample& sample, double part, bool ends) {
  const double weight = double(sample.weight_ns), off = double(sample.off_ns);
  const double runnable = off > 0 ? std::min(1.0, double(sample.runnable_ns) / off) : 0;
  const uint64_t all = rounded(weight * part);
  Sums sums;
  sums.off_samples = ends;
  sums.runnable_ns = std::min(all, rounded(weight * part * runnable));
  sums.blocked_ns = all - sums.runnable_ns;
  if (off < weight) sums.off_variance = rounded(square_us(weight) * (1 - off / weight) * part);
  if (sample.attributed->cut) sums.off_cut_ns = all;
  return sums;
}

void Waits::add(const OffSample& sample, double part, bool ends) {
  const Sums sums = wait_sums(sample, part, ends);
  each_key(sample, [&](Key key) { rows_[key] += sums; });
  to_.totals.samples += sums;
  if (ends) count_end(to_.totals, sample.ended, false, *sample.attributed);
}

void Waits::finish() {
  std::vector<Row> rows;
  rows.reserve(rows_.size());
  for (const auto& [key, sums] : rows_) rows.push_back({key, sums});
  rows_.clear();
  to_.add_rows(std::move(rows));
}

void add_off_cpu(Tile& to, const OffSample& sample, double part, bool ends) {
  Waits one(to);
  one.add(sample, part, ends);
  one.finish();
}

}  // namespace compmond::estimate
