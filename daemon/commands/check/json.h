// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "check/patching.h"
#include "check/shown.h"

// compmond.check/1 (docs/check.md).
namespace compmond::check {

nlohmann::json to_json(const Shown& shown);
// As above, of the engine that patches, and what is said of the others beside it.
nlohmann::json to_json(const Patching& patching);

}  // namespace compmond::check
