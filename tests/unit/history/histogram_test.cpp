// SPDX-License-Identifier: Apache-2.0
#include "history/histogram.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>

using compmond::history::Histogram;

TEST_CASE("histogram: an empty one has no quantiles and no memory") {
  const Histogram histogram;
  CHECK(histogram.count() == 0);
  CHECK(histogram.quantile(0.5) == 0);
  CHECK(histogram.buckets().empty());
  CHECK(histogram.memory_bytes() == 0);
}

TEST_CASE("histogram: values below 128 are exact") {
  for (uint64_t value = 0; value < 128; ++value) {
    Histogram histogram;
    histogram.add(value);
    CHECK(histogram.quantile(1) == value);
    CHECK(histogram.buckets() == std::vector<std::pair<uint64_t, uint64_t>>{{value + 1, 1}});
  }
}

TEST_CASE("histogram: the largest value has a bucket") {
  Histogram histogram;
  histogram.add(UINT64_MAX);
  histogram.add(0);
  CHECK(histogram.quantile(1) > UINT64_MAX - UINT64_MAX / 64);
  CHECK(histogram.quantile(0.5) == 0);
  CHECK(histogram.buckets().back().first == UINT64_MAX);
}

TEST_CASE("histogram: quantiles are within 1/64 of those of the sorted values") {
  CHECK(rc::check([](const std::vector<uint64_t>& raw, uint8_t shift) {
    RC_PRE(!raw.empty());
    std::vector<uint64_t> values;
    Histogram histogram;
    for (uint64_t value : raw) {
      values.push_back(value >> shift % 64);
      histogram.add(values.back());
    }
    std::sort(values.begin(), values.end());
    for (double q : {0.001, 0.5, 0.9, 0.99, 1.0}) {
      const auto rank = std::max<size_t>(1, size_t(std::ceil(q * double(values.size()))));
      const double exact = double(values[rank - 1]);
      RC_ASSERT(std::abs(double(histogram.quantile(q)) - exact) <= exact / 64);
    }
  }));
}

TEST_CASE("histogram: buckets hold every value below their bound, and merging equals adding all") {
  CHECK(rc::check([](const std::vector<uint32_t>& left, const std::vector<uint64_t>& right) {
    Histogram a, b, all;
    for (uint64_t value : left) a.add(value), all.add(value);
    for (uint64_t value : right) b.add(value), all.add(value);
    a.merge(b);
    RC_ASSERT(a.count() == left.size() + right.size());
    RC_ASSERT(a.buckets() == all.buckets());
    uint64_t below = 0, bound_before = 0;
    for (const auto& [bound, count] : all.buckets()) {
      const auto inside = [&, low = bound_before, high = bound](uint64_t v) {
        return v >= low && v < high;
      };
      RC_ASSERT(uint64_t(std::count_if(left.begin(), left.end(), inside) +
                         std::count_if(right.begin(), right.end(), inside)) == count);
      below += count;
      bound_before = bound;
    }
    RC_ASSERT(below == all.count());
  }));
}

TEST_CASE("histogram: memory is of the values seen, however far they are apart") {
  Histogram near, far;
  for (int i = 0; i < 1000; ++i) near.add(1000), far.add(i % 2 ? 10 : uint64_t(1) << 45);
  CHECK(Histogram().memory_bytes() == 0);
  CHECK(near.memory_bytes() < 512);
  CHECK(far.memory_bytes() < 1024);
  CHECK(far.quantile(0.5) == 10);
}
