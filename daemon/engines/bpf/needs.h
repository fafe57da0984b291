// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/diagnosis.h"

namespace compmond::bpf_engine
{

// Rights, types of the kernel, lockdown: what every engine needs whose programs run in the kernel,
// among the findings. False without the rights: trying would tell nothing more.
bool check_needs(engine::Diagnosis &out);

} // namespace compmond::bpf_engine
