// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/fd.h"

namespace compmond::sampler {

// The kernel's code that it maps into every process, as a file in memory: a copy of our own, which
// is the same one. Empty where there is none.
Fd copy_vdso();

}  // namespace compmond::sampler
