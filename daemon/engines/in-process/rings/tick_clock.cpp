// SPDX-License-Identifier: Apache-2.0
#include "rings/tick_clock.h"

#include <cpuid.h>
#include <x86intrin.h>

#include <algorithm>
#include <cmath>

#include "base/clock.h"

namespace compmond::inprocess {

TickClock::Look TickClock::now() {
  constexpr int kTries = 5;
  Look best;
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < kTries; ++i) {
    const uint64_t before = __rdtsc();
    const uint64_t ns = monotonic_ns();
    const uint64_t after = __rdtsc();
    if (after - before >= least) continue;
    least = after - before;
    best = {before + least / 2, ns};
  }
  return best;
}

bool TickClock::steady() {
  constexpr unsigned kPower = 0x80000007, kInvariant = 1u << 8;  // of edx
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(kPower, &a, &b, &c, &d) != 0 && (d & kInvariant) != 0;
}

TickClock::Line TickClock::line(const Look& a, const Look& b, uint64_t from, uint64_t to) {
  const bool none = b.ticks <= a.ticks;
  return {from, to, b, none ? 0 : double(b.ns - a.ns) / double(b.ticks - a.ticks)};
}

uint64_t TickClock::Line::ns(uint64_t ticks) const {
  const double by = double(int64_t(ticks - at.ticks)) * slope;
  return at.ns + uint64_t(int64_t(by + std::copysign(0.5, by)));
}

void TickClock::add(Look look) {
  line_ = {};
  if (const size_t n = looks_.size(); n >= 2 && looks_[n - 1].ns - looks_[n - 2].ns < kLeastNs) {
    looks_.pop_back();
    off_.pop_back();
  }
  double off = 0;
  if (const size_t n = looks_.size(); n >= 2)
    off = std::abs(
        double(int64_t(line(looks_[n - 2], looks_[n - 1], 0, 0).ns(look.ticks) - look.ns)));
  looks_.push_back(look);
  off_.push_back(off);
  if (looks_.size() <= kKept) return;
  looks_.pop_front();
  off_.pop_front();
}

uint64_t TickClock::ns(uint64_t ticks) const {
  if (ticks < line_.from || ticks >= line_.to) line_ = line_of(ticks);
  return line_.ns(ticks);
}

TickClock::Line TickClock::line_of(uint64_t ticks) const {
  auto after = std::ranges::upper_bound(looks_, ticks, {}, &Look::ticks);
  if (after == looks_.end()) {
    const size_t n = looks_.size();
    const bool near = n > 2 && looks_[n - 1].ns - looks_[n - 2].ns < kLeastNs;
    return line(looks_[n - (near ? 3 : 2)], looks_[n - 1], looks_[n - 1].ticks, UINT64_MAX);
  }
  if (after == looks_.begin()) return line(*after, *(after + 1), 0, after->ticks);
  return line(*(after - 1), *after, (after - 1)->ticks, after->ticks);
}

double TickClock::most_off_ns() const { return off_.empty() ? 0 : *std::ranges::max_element(off_); }

}  // namespace compmond::inprocess
