// SPDX-License-Identifier: Apache-2.0
#include "inprocess/costs.h"

#include "inprocess/planner.h"

namespace compmond::inprocess {
namespace {

// ns. A prototype took 27 ns for entry and exit (24 to 35) of functions with 120 to 420 ns of own
// work, recorded without losses, on an Intel Xeon; some 50 ns where caches are cold, as in
// PostgreSQL. Both are recorded alike, so that one of them falls between the two time stamps. How
// the jump is made (5 bytes, a call, a short jump with a second one) made no difference.
constexpr double kRecording = 13.5;

}  // namespace

plan::Costs expected_costs() {
  plan::Costs out(false);
  for (const char* site : kSites) {
    const plan::Cost entry{0, kRecording};
    plan::Cost both{kRecording, kRecording};
    both.know_entry(entry);
    out.set(kEngine, site, spec::ExitMode::kRetSites, both);
    out.set(kEngine, site, spec::ExitMode::kEntryOnly, entry);
  }
  return out;
}

}  // namespace compmond::inprocess
