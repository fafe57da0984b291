// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "protocol/analysis_view.h"
#include "text/moment.h"

namespace compmond::replay {

struct SamplesAsked {
  std::string part;                      // a component or an operation, by one word; empty: all
  std::optional<text::Moment> from, to;  // seconds count from its run's start; none: all of it
};

struct LoggedInside {
  snapshot::AnalysisView view;  // the report "inside"; times since the epoch
  uint64_t damaged = 0;         // places of the log that could not be read
};

// What the samples of a log tell of the inside of a part, without playing it: its events are passed
// over. Exit::kNoInput, Exit::kNoPermission or Exit::kData where it cannot be read, holds no
// samples, or there is no such part.
Result<LoggedInside> inside_of_log(const std::string& path, const SamplesAsked& asked);

}  // namespace compmond::replay
