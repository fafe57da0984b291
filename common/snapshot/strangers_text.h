// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "snapshot/health.h"

namespace compmond::snapshot {

// How many there are, "2 other processes".
std::string strangers_text(const Health::Strangers& strangers);

}  // namespace compmond::snapshot
