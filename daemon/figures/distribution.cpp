// SPDX-License-Identifier: Apache-2.0
#include "figures/distribution.h"

#include "figures/overlap.h"
#include "figures/tally.h"
#include "history/histogram.h"

namespace compmond::figures {
namespace {

constexpr size_t kMostBuckets = 64;  // a bar of 3 to 5 pixels each in a panel
constexpr unsigned kParts = 4;       // log2 of the finest parts per power of two

// Side by side, from the first to the last that holds something, divided as finely as that allows.
std::vector<Bucket> side_by_side(const history::Histogram& times) {
  const auto counts = times.buckets();
  if (counts.empty()) return {};
  // `end` is exclusive: the value before it lies in the same bucket, also of a coarser division.
  const auto place = [](uint64_t end, unsigned parts) {
    return history::bucket_of(end - 1, parts);
  };
  const uint64_t low = counts.front().first, high = counts.back().first;
  unsigned parts = kParts;
  while (parts > 0 && place(high, parts) - place(low, parts) >= kMostBuckets) --parts;
  std::vector<Bucket> out;
  for (size_t i = place(low, parts); i <= place(high, parts); ++i)
    out.push_back({history::start_of(i, parts), history::start_of(i + 1, parts), 0});
  for (const auto& [end, count] : counts) out[place(end, parts) - place(low, parts)].count += count;
  return out;
}

}  // namespace

std::vector<Bucket> distribution(const history::Store& store, const history::Checkpoint& checkpoint,
                                 const Model& model, Window window, const Filter& filter) {
  const Sieve sieve(model, filter);
  history::Histogram times;
  const bool whole = window.start_ns <= checkpoint.start_ns && window.end_ns >= checkpoint.as_of_ns;
  if (whole && sieve.by_operation_only()) {
    for (OperationId op = 0; op < checkpoint.operations.size(); ++op)
      if (sieve.operation(op)) times.merge(checkpoint.operations[op].raw);
    return side_by_side(times);
  }
  const Window open_ended = without_end(window, checkpoint);
  store.scan(checkpoint.first_execution, checkpoint.end_execution, open_ended.start_ns,
             open_ended.end_ns, [&](const trace::Execution& e) {
               const uint64_t raw_ns = e.end_ns - e.start_ns;
               if (inside(e.end_ns, open_ended) && !(e.flags & trace::kEntryOnly) &&
                   sieve.passes(e.op, e.thread, raw_ns))
                 times.add(raw_ns);
             });
  return side_by_side(times);
}

}  // namespace compmond::figures
