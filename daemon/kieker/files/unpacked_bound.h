// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdint>

#include "base/result.h"
#include "core/limits.h"

namespace compmond::kieker {

// Keeps what comes out of a packed file in proportion to what goes in.
class UnpackedBound {
 public:
  // `bytes` more came out, of `packed` in all so far. Exit::kData when that is too much.
  Result<void> add(size_t bytes, uint64_t packed) {
    unpacked_ += bytes;
    if (unpacked_ <= limits::kUnpackedFree || unpacked_ / limits::kUnpackedRatio <= packed)
      return {};
    return fail(Exit::kData, "cannot unpack it",
                fmt::format("it becomes more than {} times as large as it is, which no log does",
                            limits::kUnpackedRatio),
                "If it is one all the same, unpack it first.");
  }

 private:
  uint64_t unpacked_ = 0;
};

}  // namespace compmond::kieker
