// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "plan/way.h"

namespace compmond::plan {

// What one observed call costs, in ns: `inside` is added to the function's own raw time, `outside`
// to its caller's real time (net real = real - inside - outside * directly nested
// executions).
struct Cost {
  double inside_ns = 0;
  double outside_ns = 0;
  double total_ns() const { return inside_ns + outside_ns; }
};

// By what the engine says of the place, and by how the end is seen.
class Costs {
 public:
  // Not measured: typical values of a current machine, for `compmond check` without privileges.
  explicit Costs(bool measured = true) : measured_(measured) {}

  void set(const std::string& engine, const std::string& site, spec::ExitMode exit, Cost cost) {
    costs_[{engine, site, exit}] = cost;
  }
  // Those of another engine beside these.
  void add(const Costs& other);
  // Nothing where none is known.
  Cost at(std::string_view engine, std::string_view site, spec::ExitMode exit) const;
  Cost at(const Way& way) const { return at(way.engine, way.site, way.exit); }
  bool measured() const { return measured_; }

 private:
  std::map<std::tuple<std::string, std::string, spec::ExitMode>, Cost, std::less<>> costs_;
  bool measured_;
};

}  // namespace compmond::plan
