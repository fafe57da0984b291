// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>

#include "replay/replay_run.h"

namespace compmond::replay::test {

// A replay that can be moved and looked at.
inline std::unique_ptr<ReplayRun> opened(const std::string& path,
                                         const ReplayRun::Options& options = {}) {
  auto out = ReplayRun::open(path, options);
  REQUIRE(out);
  REQUIRE((*out)->start());
  return std::move(*out);
}

inline void run_to_end(ReplayRun& replay) {
  replay.player().play(0);
  while (!replay.player().wait(1)) {
  }
}

}  // namespace compmond::replay::test
