// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "ui/program/options.h"

namespace compmond::ui {

// Connects, opens the window and runs it until it is closed.
Result<void> run_window(const Options& options);

}  // namespace compmond::ui
