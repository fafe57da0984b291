// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "engine/diagnosis.h"

namespace compmond::bpf_engine
{

// Programs in the kernel know processes by the numbers that the machine gives them. Where this
// process knows them by others (it is in a pid namespace, or /proc is of one), its targets would be
// strangers there; in a time namespace they would tell times that are none here, and no call would
// be in any window: Exit::kUnavailable.
Result<void> see_what_kernel_sees();

// Rights, numbers of processes, clocks, types of the kernel, lockdown: what every engine needs
// whose programs run in the kernel, among the findings. False without the first three: trying would
// tell nothing more.
bool check_needs(engine::Diagnosis &out);

} // namespace compmond::bpf_engine
