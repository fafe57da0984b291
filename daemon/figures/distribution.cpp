// SPDX-License-Identifier: Apache-2.0
#include "figures/distribution.h"

#include <algorithm>
#include <array>
#include <bit>

#include "figures/overlap.h"
#include "figures/tally.h"

namespace compmond::figures {
namespace {

constexpr size_t kMostBuckets = 64;  // a bar of 3 to 5 pixels each in a panel
constexpr unsigned kParts = 4;       // log2 of the finest parts per power of two

// Counts in 16 parts per power of two; below 16 each value has its own. Coarsened when read.
class Counts {
 public:
  void add(uint64_t ns, uint64_t count) { counts_[place_of(ns, kParts)] += count; }

  std::vector<Bucket> buckets() const {
    const auto some = [](uint64_t count) { return count > 0; };
    const auto first = std::ranges::find_if(counts_, some);
    if (first == counts_.end()) return {};
    const auto last = std::find_if(counts_.rbegin(), counts_.rend(), some).base() - 1;
    const uint64_t low = start_of(size_t(first - counts_.begin()), kParts);
    const uint64_t high = start_of(size_t(last - counts_.begin()), kParts);
    unsigned parts = kParts;
    while (parts > 0 && place_of(high, parts) - place_of(low, parts) >= kMostBuckets) --parts;
    std::vector<Bucket> out;
    for (size_t i = place_of(low, parts); i <= place_of(high, parts); ++i)
      out.push_back({start_of(i, parts), start_of(i + 1, parts), 0});
    for (size_t i = 0; i < counts_.size(); ++i)
      if (counts_[i] > 0)
        out[place_of(start_of(i, kParts), parts) - place_of(low, parts)].count += counts_[i];
    return out;
  }

 private:
  // With 2^parts equal parts per power of two from 2^parts on, and below it one bucket per value.
  static size_t place_of(uint64_t ns, unsigned parts) {
    if (ns >> parts == 0) return size_t(ns);
    const unsigned shift = unsigned(std::bit_width(ns)) - 1 - parts;
    return (size_t(shift) << parts) + size_t(ns >> shift);
  }
  static uint64_t start_of(size_t place, unsigned parts) {
    const size_t shift = place >> parts;
    if (shift == 0) return place;
    const uint64_t mantissa = (place & ((size_t(1) << parts) - 1)) | (size_t(1) << parts);
    if (shift - 1 + parts >= 64) return UINT64_MAX;
    return mantissa << (shift - 1);
  }

  std::array<uint64_t, (64 - kParts + 1) << kParts> counts_{};
};

}  // namespace

std::vector<Bucket> distribution(const history::Store& store, const history::Checkpoint& checkpoint,
                                 const Model& model, Window window, const Filter& filter) {
  const Sieve sieve(model, filter);
  Counts counts;
  const bool whole = window.start_ns <= checkpoint.start_ns && window.end_ns >= checkpoint.as_of_ns;
  if (whole && sieve.by_operation_only()) {
    for (OperationId op = 0; op < checkpoint.operations.size(); ++op)
      if (sieve.operation(op))
        for (const auto& [end_ns, count] : checkpoint.operations[op].raw.buckets())
          counts.add(end_ns - 1, count);
    return counts.buckets();
  }
  const Window open_ended = without_end(window, checkpoint);
  store.scan(checkpoint.first_execution, checkpoint.end_execution, open_ended.start_ns,
             open_ended.end_ns, [&](const trace::Execution& e) {
               const uint64_t raw_ns = e.end_ns - e.start_ns;
               if (inside(e.end_ns, open_ended) && !(e.flags & trace::kEntryOnly) &&
                   sieve.passes(e.op, e.thread, raw_ns))
                 counts.add(raw_ns, 1);
             });
  return counts.buckets();
}

}  // namespace compmond::figures
