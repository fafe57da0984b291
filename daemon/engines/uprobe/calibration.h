// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/result.h"
#include "plan/cost.h"
#include "uprobe/attach_kind.h"

namespace compmond::uprobe {

struct Calibration {
  AttachKind kind = AttachKind::kSession;
  plan::Costs costs;
};

// Finds by trying the best way to attach that this kernel has (session, multi, then per-symbol;
// only `forced` when given), and measures what a probe costs, per kind of entry site and exit mode.
// Both on functions of compmond itself that do nothing: `inside` is the median raw time that is
// recorded for them, `outside` what a call takes longer beyond that. Takes about 0.2 s.
// Exit::kNoPermission or Exit::kUnavailable when no way works, with what the last one said.
Result<Calibration> calibrate(std::optional<AttachKind> forced = std::nullopt);

}  // namespace compmond::uprobe
