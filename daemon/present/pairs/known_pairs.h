// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "base/window.h"
#include "counts/slice_store.h"

namespace compmond::present {

// Of a pair of operations, how often slices saw the one call the other.
struct Sight {
  uint32_t slices = 0;
  uint64_t ns = 0, calls = 0;
  double rate() const { return ns > 0 ? double(calls) / double(ns) : 0; }
};

// The operations of which one is known to call the other directly: by samples' stacks, or by slices
// that saw all that samples know to call the callee, so that nothing known was between the two.
class KnownPairs {
 public:
  // Slices are those that counts of these times are from. `by_samples`: of the run.
  KnownPairs(const counts::SliceStore& store, std::span<const Window> times,
             std::span<const counts::Pair> by_samples);

  struct Sights {
    Sight both;  // of slices that saw all calls of the two: with what was between them, and unseen
    Sight all;   // of these, those that saw what samples know to call the callee
  };
  const std::map<counts::Pair, Sights>& all() const { return pairs_; }
  Sights of(counts::Pair pair) const;                            // none: it is not known
  const std::set<counts::Item>& callers(counts::Item of) const;  // by samples

  // Of one operation.
  struct Had {
    uint32_t slices = 0;  // with its probes
    uint32_t seen = 0;    // in which all its calls and their ends could be
    bool begun = false;   // a call of it was: of one that had begun before, what it calls is not
  };
  Had had(counts::Item operation) const;

 private:
  bool saw_callers(const counts::Slice& slice, counts::Item of) const;
  void find_pairs(const counts::Slice& slice);
  void add(const counts::Slice& slice);

  std::map<counts::Item, std::set<counts::Item>> callers_;
  std::map<counts::Pair, Sights> pairs_;
  std::vector<Had> had_;  // by operation
};

}  // namespace compmond::present
