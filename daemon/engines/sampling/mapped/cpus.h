// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/perf_event.h>

#include <functional>

#include "base/fd.h"
#include "base/result.h"

namespace compmond::sampler {

// Opens the event on each CPU that is online, for whatever runs there, and hands it over with the
// CPU's number. Exit::kNoPermission without the right (see remedy_at), Exit::kUnavailable where
// descriptors or memory are short or the kernel lacks it. `what` is what cannot be done without it.
Result<void> open_on_cpus(const perf_event_attr& attributes, const char* what,
                          const std::function<Result<void>(unsigned cpu, Fd event)>& take);

// What helps where the kernel refuses that, at this level of kernel.perf_event_paranoid.
const char* remedy_at(int paranoid);

}  // namespace compmond::sampler
