// SPDX-License-Identifier: Apache-2.0
#include "snapshot/estimated.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/clean.h"
#include "text/match.h"
#include "text/numbers.h"

namespace compmond::snapshot {

bool only_bound(const Estimated& of, TimeOf time) {
  const Estimate& e = *(of.*time);
  if (e.value_ns <= 0) return true;
  if (time == &Estimated::raw_ns) return few(of);
  // As of fewer than five of a kind; both kinds together as of hardly more than one.
  const double most = time == &Estimated::net_real_ns ? 4 : 2;
  const bool wide = e.high_ns - e.low_ns > most * e.value_ns;
  return few_own(of) || (wide && !at_least(of, time));
}

std::string elsewhere_text(const SamplesHealth& samples) {
  const auto part = [](double of, double whole) {
    return text::percent(100 * std::min(1.0, of / whole));
  };
  std::string out;
  if (samples.cpu_ns > 0)
    out = part(samples.elsewhere_cpu_ns.value_ns, samples.cpu_ns) + " of CPU time";
  if (samples.waiting_ns > 0)
    out += (out.empty() ? "" : ", ") +
           part(samples.elsewhere_waiting_ns.value_ns, samples.waiting_ns) + " of waiting";
  return out.empty() ? out : out + " elsewhere";
}

std::string image_label(const SamplesHealth::Elsewhere& elsewhere) {
  return elsewhere.image.empty() ? "code of no file" : text::clean(text::leaf(elsewhere.image));
}

}  // namespace compmond::snapshot
