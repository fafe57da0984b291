// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace compmond::commands {

// Tells what this machine can do, what is missing, and the exact remedy. Returns Exit::kOk when the
// main job would work here, else Exit::kNoPermission or Exit::kUnavailable.
int doctor_command();

}  // namespace compmond::commands
