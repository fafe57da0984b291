// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/engines.h"
#include "prepare/options.h"

namespace compmond::run {

// The chosen engines, in the order in which they are tried.
engine::Engines engine_list(const prepare::EngineOptions& options);
// Every engine of this build: a new one is added here.
engine::Engines all_engines();

}  // namespace compmond::run
