// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace compmond {

// "exited with status 3", "was killed by signal 11 (Segmentation fault)".
std::string status_text(int wait_status);

}  // namespace compmond
