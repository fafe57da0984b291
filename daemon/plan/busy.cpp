// SPDX-License-Identifier: Apache-2.0
#include "plan/busy.h"

#include <algorithm>

namespace compmond::plan {

void Spans::begin_at(uint64_t now_ns) {
  if (open()) return;
  push_back({now_ns, UINT64_MAX});
  bound();
}

void Spans::end_at(uint64_t now_ns) {
  if (open()) back().end_ns = now_ns;
}

void Spans::add(Window span) {
  const auto after = [&](const Window& one) { return one.start_ns > span.end_ns; };
  const auto end = std::find_if(vector::begin(), vector::end(), after);
  auto begin = end;
  for (; begin != vector::begin() && (begin - 1)->end_ns >= span.start_ns; --begin)
    span = {std::min(span.start_ns, (begin - 1)->start_ns),
            std::max(span.end_ns, (begin - 1)->end_ns)};
  insert(erase(begin, end), span);
  bound();
}

void Spans::bound() {
  if (size() <= kMost) return;
  (*this)[1].start_ns = front().start_ns;
  erase(vector::begin());
}

uint64_t Spans::within_ns(Window window) const {
  uint64_t sum = 0;
  for (const Window& span : *this) sum += common(span, window).length();
  return sum;
}

}  // namespace compmond::plan
