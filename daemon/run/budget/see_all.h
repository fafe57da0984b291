// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "plan/plan.h"

namespace compmond::run {

// Per operation of the plan, whether it must see every call: units of work that somebody waits for
// (landmarks); what tells whose call it is, as one that is missed leaves a key with others' calls
// (contexts); and, where a single miss ends the run (`exit_on_slo`), those with objectives.
std::vector<bool> see_all(const plan::Plan& plan, bool exit_on_slo);

}  // namespace compmond::run
