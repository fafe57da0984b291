// SPDX-License-Identifier: Apache-2.0
#include "figures/outermost.h"

#include <algorithm>

namespace compmond::figures {

void Outermost::add(int component, const trace::Begun& e, uint64_t raw_ns) {
  if (component < 0 || size_t(component) >= raw_ns_.size()) return;
  std::vector<Part>& parts = open_[key(e)];
  // What is nested in it began after it, and stands at the end.
  auto from = parts.end();
  while (from != parts.begin() && std::prev(from)->start_ns >= e.start_ns) --from;
  parts.erase(std::remove_if(from, parts.end(),
                             [&](const Part& part) { return part.component == component; }),
              parts.end());
  parts.push_back({component, e.start_ns, raw_ns});
  if (e.ess == 0) settle(key(e));
}

void Outermost::settle(const Key& key) {
  const auto at = open_.find(key);
  if (at == open_.end()) return;
  for (const Part& part : at->second) raw_ns_[size_t(part.component)] += part.raw_ns;
  open_.erase(at);
}

std::vector<uint64_t> Outermost::finish() {
  while (!open_.empty()) settle(open_.begin()->first);
  return raw_ns_;
}

}  // namespace compmond::figures
