// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "snapshot/health.h"

namespace compmond::snapshot {

// How many there are, "2 other processes".
std::string strangers_text(const Health::Strangers& strangers);
// What they pay, "0.30 %" of the targets' CPU time, or "1.50 ms" where these used none.
std::string strangers_cost_text(const Health::Strangers& strangers);

}  // namespace compmond::snapshot
