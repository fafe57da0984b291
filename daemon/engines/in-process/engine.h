// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/engine.h"

namespace compmond::inprocess {

// Patches functions of running processes, so that they tell of their calls themselves.
std::unique_ptr<engine::Engine> make_engine();

}  // namespace compmond::inprocess
