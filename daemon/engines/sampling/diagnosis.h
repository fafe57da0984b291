// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/diagnosis.h"

namespace compmond::sampler {

// Whether stacks can be sampled here; for `compmond doctor`.
engine::Diagnosis diagnose();

}  // namespace compmond::sampler
