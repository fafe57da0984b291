// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "plan/plan.h"
#include "plan/way.h"

namespace compmond::plan {

// What one observed call costs, in ns: `inside` is added to the function's own raw time, `outside`
// to its caller's real time (net real = real - inside - outside * directly nested
// executions).
struct Cost {
  double inside_ns = 0;
  double outside_ns = 0;
  // How much less that is: of `outside` where the call is left at a cheap exit
  // (trace::kCheapExit), of both where it is left without one (an exception, a longjmp).
  double cheap_less_ns = 0;
  double left_inside_less_ns = 0, left_outside_less_ns = 0;
  double stay_ns = 0;  // of `inside` in addition, each time that it stays (record::kStayed)
  double total_ns() const { return inside_ns + outside_ns; }
  Cost times(double share) const {
    return {inside_ns * share,           outside_ns * share,           cheap_less_ns * share,
            left_inside_less_ns * share, left_outside_less_ns * share, stay_ns * share};
  }
  // `entry` is what the same place costs where only entries are seen. Of what falls inside, half is
  // taken to be the entry's: the way out of one trap and the way into another.
  void know_entry(const Cost& entry) {
    const double less = std::max(0.0, total_ns() - entry.total_ns());
    left_inside_less_ns = std::min(inside_ns / 2, less);
    left_outside_less_ns = less - left_inside_less_ns;
  }
};

// By what the engine says of the place, and by how the end is seen.
class Costs {
 public:
  // Not measured: typical values of a current machine, for `compmond check` without privileges.
  explicit Costs(bool measured = true) : measured_(measured) {}

  using Class = std::tuple<std::string, std::string, spec::ExitMode>;  // engine, site, exit
  static Class class_of(const Way& way) { return {way.engine, way.site, way.exit}; }

  void set(const std::string& engine, const std::string& site, spec::ExitMode exit, Cost cost) {
    costs_[{engine, site, exit}] = cost;
  }
  // From now on that share of what was measured: calls showed that it was too much.
  void correct(const Class& which, double share) { corrections_[which] = share; }
  // By class, below 1.
  const std::map<Class, double, std::less<>>& corrections() const { return corrections_; }
  void forget_corrections() { corrections_.clear(); }
  // Those of another engine beside these.
  void add(const Costs& other);
  // As corrected. Nothing where none is known.
  Cost at(std::string_view engine, std::string_view site, spec::ExitMode exit) const;
  Cost at(const Way& way, See see = See::kCalls) const {
    return at(way.engine, way.site, see == See::kCalls ? way.exit : spec::ExitMode::kEntryOnly);
  }
  Cost measured(const Way& way) const;
  bool measured() const { return measured_; }

 private:
  std::map<Class, Cost, std::less<>> costs_;
  std::map<Class, double, std::less<>> corrections_;
  bool measured_;
};

// By which way it is watched: that of the first engine that can; null: none can.
const Way* watched_by(const PlannedTransfer& transfer);
// What so many transfers of control of each kind (Transfer) cost, ns: each what it does at the
// dearest place of its kind.
double transfers_ns(const Plan& plan, const Costs& costs, const uint64_t (&counts)[kTransfers]);

}  // namespace compmond::plan
