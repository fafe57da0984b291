// SPDX-License-Identifier: Apache-2.0
#include "snapshot/estimate_text.h"

#include <cmath>

#include "text/numbers.h"

namespace compmond::snapshot {

bool is_told(const Estimated& of, TimeOf time) { return of.*time && (of.*time)->high_ns > 0; }

bool is_value(const Estimated& of, TimeOf time) {
  return is_told(of, time) && !only_bound(of, time);
}

std::string value_text(const Estimated& of, TimeOf time) {
  if (!is_told(of, time)) return "–";
  const Estimate& e = *(of.*time);
  if (!is_value(of, time)) return "<" + text::duration(e.high_ns);
  return (at_least(of, time) ? "≥" : "") + text::duration(e.value_ns);
}

std::string spread_text(const Estimated& of, TimeOf time) {
  if (!is_value(of, time)) return {};
  const Estimate& e = *(of.*time);
  return "±" + text::whole_percent(50 * (e.high_ns - e.low_ns) / e.value_ns);
}

std::string value_text(const CallsEstimate& calls) {
  return "≈" + text::count(uint64_t(std::llround(calls.value)));
}

std::string spread_text(const CallsEstimate& calls) {
  return "±" + text::whole_percent(
                   calls.value > 0 ? std::ceil(50 * (calls.high - calls.low) / calls.value) : 0);
}

}  // namespace compmond::snapshot
