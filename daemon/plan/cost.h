// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/words.h"
#include "code/scan.h"

namespace compmond::plan {

enum class ExitMode : uint8_t { kReturnProbe, kRetSites, kEntryOnly };
constexpr auto words(ExitMode) {
  return word_table<ExitMode>({{ExitMode::kReturnProbe, "return-probe"},
                               {ExitMode::kRetSites, "ret-sites"},
                               {ExitMode::kEntryOnly, "entry-only"}});
}

// What one observed call costs, in ns: `inside` is added to the function's own raw time, `outside`
// to its caller's real time (net real = real - inside - outside * directly nested
// executions).
struct Cost {
  double inside_ns = 0;
  double outside_ns = 0;
  double total_ns() const { return inside_ns + outside_ns; }
};

// Measured on this machine at start, per kind of entry site and exit mode.
class CostTable {
 public:
  Cost at(code::SiteKind entry, ExitMode exit) const { return costs_[index(entry, exit)]; }
  void set(code::SiteKind entry, ExitMode exit, Cost cost) {
    costs_[index(entry, exit)] = cost;
    measured_ = true;
  }
  bool measured() const { return measured_; }
  // Typical values of a current machine, for `compmond check` without privileges; marked as not
  // measured.
  static CostTable typical();

 private:
  static constexpr size_t kSites = 5, kModes = 3;
  static size_t index(code::SiteKind entry, ExitMode exit) {
    return size_t(entry) * kModes + size_t(exit);
  }
  std::array<Cost, kSites * kModes> costs_{};
  bool measured_ = false;
};

}  // namespace compmond::plan
