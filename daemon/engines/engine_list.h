// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/engines.h"
#include "prepare/options.h"

namespace compmond::engines {

// Every engine of this build, in the order in which they are tried: a new one is added here.
engine::Engines all_engines(const prepare::EngineOptions& options = {});
// The chosen ones.
engine::Engines engine_list(const prepare::EngineOptions& options);

// As given, else what goes with the choice: fewer where samples only stand beside probes.
double samples_hz(const prepare::EngineOptions& options);

}  // namespace compmond::engines
