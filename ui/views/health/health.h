// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "ui/views/shared/view.h"

namespace compmond::ui {

std::unique_ptr<View> make_health_view();

}  // namespace compmond::ui
