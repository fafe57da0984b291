// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/fd.h"

namespace compmond::unwind {

// The vDSO as a file in memory: sampling::kVdso, which all processes have in common. Empty where
// there is none.
Fd vdso_file();

}  // namespace compmond::unwind
