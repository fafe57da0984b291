// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/cost.h"

namespace compmond::inprocess {

// What an observed call is expected to cost; nothing of it is measured on this machine.
plan::Costs expected_costs();

}  // namespace compmond::inprocess
