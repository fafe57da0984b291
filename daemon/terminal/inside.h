// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "snapshot/inside_report.h"
#include "terminal/table.h"

namespace compmond::terminal {

// In which functions the time of a part goes, and who called it. `name`: of the part.
std::string inside(const snapshot::Inside& inside, const std::string& name, const Style& style);

}  // namespace compmond::terminal
