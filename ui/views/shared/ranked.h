// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "snapshot/snapshot.h"

// The figure that makes components hot: what is coloured is printed, sorted and named.
namespace compmond::ui {

snapshot::RankedFigure ranked_figure(const snapshot::Snapshot& snapshot);
// "mean real"; beside a figure.
std::string_view ranked_name(const snapshot::Snapshot& snapshot);
// "1.25 s", "1.25 %" of a share, with the marks of what is not known exactly.
std::string ranked_text(const snapshot::Snapshot& snapshot, const snapshot::Figures& figures);
// What 100 is: "hotness 100 = 1.90 s of 5.00 s". Where nothing is hot, why.
std::string heat_text(const snapshot::Snapshot& snapshot);

}  // namespace compmond::ui
