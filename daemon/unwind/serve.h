// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/fd.h"
#include "unwind/desk.h"

namespace compmond::unwind {

// The child's side of ChildUnwinder: does what it is told until the channel ends.
void serve(const Fd& channel, Desk& desk);

}  // namespace compmond::unwind
