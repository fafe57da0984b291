// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/engine.h"

namespace compmond::sampler {

// Stacks of the observed processes at single moments: it places nothing in them, and sees no calls.
// What a run gets of it beside an engine's own are the samples (engine::Capture::samples).
// `hz`: on CPU, per second and busy CPU.
std::unique_ptr<engine::Engine> make_engine(double hz);

}  // namespace compmond::sampler
