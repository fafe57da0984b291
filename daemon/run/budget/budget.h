// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace compmond::run {

// What was seen in a span of time.
struct Seen {
  struct Load {  // one operation's
    uint64_t calls = 0;
    double cost_ns = 0;      // of all of them, at the target; and at strangers
    uint64_t strangers = 0;  // of calls: made by these
    bool patched = false;    // no probe of the kernel tells of them
  };
  std::vector<Load> loads;
  double beside_ns = 0;     // what observing cost it beside calls: samples, probes that came and
                            // went, and transfers of control that were watched
  double transfers_ns = 0;  // of that: the last
  double cpu_ns = 0;        // CPU time of all targets, with all of that in it
  double wall_ns = 0;

  double cost_ns() const;
  // As a share of the targets' CPU time, at most 100.
  double cost_pct() const;
};

// For so long is away what was too dear, at first and at most.
inline constexpr uint64_t kFirstPauseNs = 10'000'000'000;
inline constexpr uint64_t kLongestPauseNs = 320'000'000'000;

// What observing may cost: `percent` of the targets' CPU time, or 1 % of one core where that is
// more. Pure.
class OverheadBudget {
 public:
  explicit OverheadBudget(double percent) : percent_(percent) {}

  bool binds(const Seen& seen) const;  // it cost more
  bool fits(const Seen& seen) const;   // with a fifth to spare, so that it does not bind at once
  // Whether those that must see every call (`see_all`, per operation) may be there whatever the
  // others cost: all these, and `away_pct` of the CPU time for those that are away, take at most
  // half of it. `spare`: with a fifth of that to spare.
  bool may_see_all(const Seen& seen, const std::vector<bool>& see_all, double away_pct = 0,
                   bool spare = false) const;
  // Whether it would fit if all probes were there, which then took `whole_pct` of the CPU time: for
  // a target that has become quiet, by what it does without most of them.
  bool would_fit(const Seen& seen, double whole_pct) const;

  // Per operation, whether its probes stay when the budget binds. Those that must see every call do
  // while all these cost at most half of it; and, the cheapest first, what will cost less than a
  // tenth of it, until a fifth is left: computed with the time that the target would have needed
  // without the rest, for what a flooded target calls rarely it may soon call often. What was
  // hardly called stays, too: the next looks know more of it. Those that are patched, for which the
  // user asked so that they stay, do as long as all these fit.
  std::vector<bool> kept(const Seen& seen, const std::vector<bool>& see_all) const;

 private:
  double allowed_ns(double cpu_ns, double wall_ns) const;

  double percent_;
};

// Of the budget, what watching transfers of control may take.
inline constexpr double kTransferShare = 0.2;

// Whether transfers of control may be watched: a program that throws and jumps so often that this
// alone takes a fifth of the budget and 1 % of one core, at two looks in a row, is left alone; it
// is tried again after a pause that doubles.
class TransferBudget {
 public:
  explicit TransferBudget(double percent) : percent_(percent) {}
  bool away() const { return away_; }
  enum class Decision { kNothing, kTakeAway, kBringBack };
  Decision look(const Seen& seen, uint64_t now_ns);  // `seen`: since the last look

 private:
  double percent_;
  bool was_above_ = false, away_ = false;
  uint64_t ends_ns_ = 0, length_ns_ = 0;  // of the last pause
};

}  // namespace compmond::run
