// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace compmond {

// The part of a time from which on something was looked at all of it, but for switching on.
constexpr double kWholeTime = 0.999;

}  // namespace compmond
