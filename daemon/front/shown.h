// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "front/options.h"

namespace compmond::front {

// Whether what is to be shown can be told of a run in which calls are seen and samples taken, or
// not. Exit::kUsage, before it begins.
Result<void> check_shown(const Options& options, bool calls, bool samples);

}  // namespace compmond::front
