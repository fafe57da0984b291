// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "snapshot/snapshot.h"
#include "target/observed.h"

namespace compmond::present {

// The machine that this runs on.
const snapshot::Host& this_host();

// An observed process as a snapshot tells of it.
snapshot::Target target_of(const target::ObservedProcess& process,
                           std::span<const target::Program> programs);

}  // namespace compmond::present
