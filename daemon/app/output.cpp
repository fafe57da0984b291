// SPDX-License-Identifier: Apache-2.0
#include "app/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "app/message.h"
#include "base/safe_file.h"
#include "headless/table.h"

namespace compmond::app {

Result<void> write_snapshot(const snapshot::Snapshot& snapshot, const std::string& path) {
  const std::string json = snapshot::to_json(snapshot) + "\n";
  if (path != "-") return write_file_whole(path, json);
  if (std::fwrite(json.data(), 1, json.size(), stdout) != json.size() || std::fflush(stdout) != 0)
    return fail_errno(Exit::kCantCreate, "cannot write the snapshot to stdout", errno);
  return {};
}

Result<void> show_summary(const snapshot::Snapshot& snapshot, bool snapshot_on_stdout) {
  const int fd = snapshot_on_stdout ? STDERR_FILENO : STDOUT_FILENO;
  const std::string summary = headless::summary(snapshot, headless::style_of(fd));
  std::fwrite(summary.data(), 1, summary.size(), snapshot_on_stdout ? stderr : stdout);
  return snapshot_on_stdout ? Result<void>() : finish_stdout();
}

}  // namespace compmond::app
