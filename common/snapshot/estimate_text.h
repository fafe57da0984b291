// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "snapshot/estimated.h"

// How an estimate is written, wherever one is shown.
namespace compmond::snapshot {

// Whether anything is told of one of the times: of waiting that was not looked at nothing is.
bool is_told(const Estimated& of, TimeOf time);
// Whether that is more than a bound.
bool is_value(const Estimated& of, TimeOf time);
// "1.25 s", "<12.0 ms" where samples are too few for a value, "≥1.25 s" where stacks were cut or
// waits not looked at; "–" where nothing is told.
std::string value_text(const Estimated& of, TimeOf time);
// "±4 %": half of the 95 % interval; empty where there is no value.
std::string spread_text(const Estimated& of, TimeOf time);
// "≈1,204,512", and "±2 %".
std::string value_text(const CallsEstimate& calls);
std::string spread_text(const CallsEstimate& calls);

}  // namespace compmond::snapshot
