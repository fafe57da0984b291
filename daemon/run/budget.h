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
    double cost_ns = 0;  // of all of them, at the target
  };
  std::vector<Load> loads;
  double beside_ns = 0;  // what observing cost it beside calls: samples, probes that came and went
  double cpu_ns = 0;     // CPU time of all targets, with all of that in it
  double wall_ns = 0;

  double cost_ns() const;
  // As a share of the targets' CPU time, at most 100.
  double cost_pct() const;
};

// What observing may cost: `percent` of the targets' CPU time, or 1 % of one core where that is
// more. Pure.
class OverheadBudget {
 public:
  explicit OverheadBudget(double percent) : percent_(percent) {}

  bool binds(const Seen& seen) const;  // it cost more
  bool fits(const Seen& seen) const;   // with a fifth to spare, so that it does not bind at once
  // Whether it would fit if all probes were there, which then took `whole_pct` of the CPU time: for
  // a target that has become quiet, by what it does without most of them.
  bool would_fit(const Seen& seen, double whole_pct) const;

  struct Kept {
    std::vector<bool> stays;  // per operation
    bool all_seen = true;     // those that must see every call do
  };
  // Whose probes stay when the budget binds. Those that must see every call (`see_all`, per
  // operation) while all these cost at most half of it; and, the cheapest first, what will cost
  // less than a tenth of it, until a fifth is left: computed with the time that the target would
  // have needed without the rest, for what a flooded target calls rarely it may soon call often.
  // What was hardly called stays, too: the next looks know more of it.
  Kept kept(const Seen& seen, const std::vector<bool>& see_all) const;

 private:
  double allowed_ns(double cpu_ns, double wall_ns) const;

  double percent_;
};

}  // namespace compmond::run
