// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/views/shared/view.h"

namespace compmond::ui {

// All views that there are, in the order of their tabs.
ViewKinds view_kinds();

}  // namespace compmond::ui
