// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "snapshot/health.h"

namespace compmond::ui {

// What says less in less room. Of all that a bar shows, the lowest rank is taken to first.
struct Shorter {
  int rank;
  std::string text;
};

constexpr int kShortLink = 1;  // the rank of a connection's, among those of being busy

// What it means that the budget keeps probes away, and what one can do; empty: it does not.
std::string_view busy_note(const snapshot::Health& health);

// "busy: … (details). Remedy (cost), more" in words that are fewer and fewer: the figures of the
// remedy give way first, then what is told of the calls, then the remedy.
std::vector<Shorter> shorter_busy(const std::string& note);

}  // namespace compmond::ui
