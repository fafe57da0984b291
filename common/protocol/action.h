// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/words.h"

namespace compmond::snapshot {

// What may be done with a run; from kPause on with a replay alone, from kEnable on with a live run
// alone.
enum class Action : uint8_t {
  kStop,
  kSnapshot,
  kRecord,
  kPause,
  kPlay,
  kStep,
  kSeek,
  kEnable,
  kDisable,
  kPauseProbes,
  kResumeProbes
};
constexpr auto words(Action) {
  return word_table<Action>({{Action::kStop, "stop"},
                             {Action::kSnapshot, "snapshot"},
                             {Action::kRecord, "record"},
                             {Action::kPause, "pause"},
                             {Action::kPlay, "play"},
                             {Action::kStep, "step"},
                             {Action::kSeek, "seek"},
                             {Action::kEnable, "enable"},
                             {Action::kDisable, "disable"},
                             {Action::kPauseProbes, "pause-probes"},
                             {Action::kResumeProbes, "resume-probes"}});
}

}  // namespace compmond::snapshot
