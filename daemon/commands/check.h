// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "prepare/options.h"

namespace compmond::commands {

// Resolves and plans only: prints, per operation, status, site, exit mode and expected cost, as a
// table or as JSON; of an engine that patches, how, beside what others would do. Returns the
// program's exit code; Exit::kData when nothing at all can be attached.
int check_command(const prepare::CheckOptions& options);

}  // namespace compmond::commands
