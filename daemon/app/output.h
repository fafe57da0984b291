// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "snapshot/snapshot.h"

namespace compmond::app {

// As JSON to the file, whole or not at all, or to stdout where `path` is "-".
Result<void> write_snapshot(const snapshot::Snapshot& snapshot, const std::string& path);

// The summary is data for stdout; where that has the snapshot, it goes to the messages.
Result<void> show_summary(const snapshot::Snapshot& snapshot, bool snapshot_on_stdout);

}  // namespace compmond::app
