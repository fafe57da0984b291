// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "snapshot/heat_text.h"

// The figure that makes components hot: what is coloured is printed, sorted and named.
namespace compmond::ui {

// "mean real"; beside a figure.
std::string_view ranked_name(const snapshot::Snapshot& snapshot);
// "1.25 s", "1.25 %" of a share, with the marks of what is not known exactly.
std::string ranked_text(const snapshot::Snapshot& snapshot, const snapshot::Figures& figures);

}  // namespace compmond::ui
