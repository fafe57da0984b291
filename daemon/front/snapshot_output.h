// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <optional>
#include <string>

#include "base/result.h"
#include "guard/file_writer.h"
#include "snapshot/snapshot.h"

namespace compmond::front {

// Where the snapshots of a run or a replay go, and its summary.
class SnapshotOutput {
 public:
  // "-" is stdout; empty: nowhere. A file is written with the rights that there are now; comes
  // before any thread.
  static Result<SnapshotOutput> open(const std::string& path);

  // As JSON; a file appears whole or not at all.
  Result<void> write(const snapshot::Snapshot& snapshot);
  // Where the summary goes: it is data for stdout; where snapshots go there, to the messages.
  std::FILE* summary_stream() const;
  Result<void> show_summary(const snapshot::Snapshot& snapshot) const;

 private:
  explicit SnapshotOutput(std::string path) : path_(std::move(path)) {}
  std::string path_;
  std::optional<guard::FileWriter> writer_;  // of a file
};

}  // namespace compmond::front
