// SPDX-License-Identifier: Apache-2.0
#include "plan/busy.h"

namespace compmond::plan {

void Spans::begin_at(uint64_t now_ns) {
  if (open()) return;
  push_back({now_ns, UINT64_MAX});
  if (size() <= kMost) return;
  (*this)[1].start_ns = front().start_ns;
  erase(vector::begin());
}

void Spans::end_at(uint64_t now_ns) {
  if (open()) back().end_ns = now_ns;
}

uint64_t Spans::within_ns(Window window) const {
  uint64_t sum = 0;
  for (const Window& span : *this) sum += common(span, window).length();
  return sum;
}

}  // namespace compmond::plan
