// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/cost.h"

namespace compmond::uprobe {

// What an observed call costs on a current machine, for `compmond check` without privileges.
plan::Costs typical_costs();

}  // namespace compmond::uprobe
