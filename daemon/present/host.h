// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "snapshot/snapshot.h"

namespace compmond::present {

// The machine that this runs on.
const snapshot::Host& this_host();

}  // namespace compmond::present
