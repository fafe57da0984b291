// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/engine.h"

namespace compmond::uprobe {

// Probes of the kernel at instructions of user programs, attached in the best way that works.
std::unique_ptr<engine::Engine> make_engine();

}  // namespace compmond::uprobe
