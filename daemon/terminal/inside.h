// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "protocol/inside_report.h"
#include "snapshot/snapshot.h"
#include "terminal/table.h"

namespace compmond::terminal {

// In which functions the time of a part goes, and who called it. `name`: of the part, `of`: the
// same window's figures, which say why there may be no samples; empty where there are none.
std::string inside(const snapshot::Inside& inside, const std::string& name,
                   const snapshot::Snapshot& of, const Style& style);

}  // namespace compmond::terminal
