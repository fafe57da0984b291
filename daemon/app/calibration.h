// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/attach_kind.h"
#include "base/result.h"
#include "probe/cost.h"

namespace compmond::app {

// The best way to attach that this kernel has, found by trying: session, multi, then per-symbol. `forced` is tried alone.
// Exit::kNoPermission or Exit::kUnavailable when none works, with what each one said.
Result<AttachKind> detect_attach_kind(const AttachKind* forced);

// Measures what a probe costs on this machine, per kind of entry site and exit mode, on functions of compmond itself that do
// nothing: `inside` is the median raw time that is recorded for them, `outside` what a call takes longer beyond that.
// Takes about 0.2 s; runs before the target is touched.
Result<probe::CostTable> calibrate(AttachKind kind);

}  // namespace compmond::app
