// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "ui/views/shared/view.h"

namespace compmond::ui {

// All views in the order of their tabs and keys 1 to 9, then 0.
std::vector<std::unique_ptr<View>> make_views();

}  // namespace compmond::ui
