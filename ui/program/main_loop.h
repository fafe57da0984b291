// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "ui/program/options.h"

namespace compmond::ui {

// Connects, opens the screen and runs it until it is closed.
Result<void> run_program(const Options& options);

}  // namespace compmond::ui
