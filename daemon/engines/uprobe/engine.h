// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "engine/engine.h"
#include "uprobe/attach_kind.h"

namespace compmond::uprobe {

// Probes of the kernel at instructions of user programs. `forced`: the only way to attach that is
// tried; none: the best that works.
std::unique_ptr<engine::Engine> make_engine(std::optional<AttachKind> forced);

}  // namespace compmond::uprobe
