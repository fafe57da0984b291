// SPDX-License-Identifier: Apache-2.0
#include "front/snapshot_output.h"

#include <cerrno>
#include <cstdio>

#include "base/out.h"
#include "core/message.h"
#include "terminal/table.h"

namespace compmond::front {

Result<SnapshotOutput> SnapshotOutput::open(const std::string& path) {
  SnapshotOutput out(path);
  if (path.empty() || is_stdout(path)) return out;
  auto writer = guard::FileWriter::start(path);
  if (!writer) return Unexpected(std::move(writer.error()));
  out.writer_.emplace(std::move(*writer));
  return out;
}

Result<void> SnapshotOutput::write(const snapshot::Snapshot& snapshot) {
  if (path_.empty())
    return fail(Exit::kUsage, "no snapshot was written", "no file was named for it",
                "Start with --snapshot FILE.");
  const std::string json = snapshot::to_json(snapshot) + "\n";
  if (writer_) return writer_->write(json);
  if (std::fwrite(json.data(), 1, json.size(), stdout) != json.size() || std::fflush(stdout) != 0)
    return fail_errno(Exit::kCantCreate, "cannot write the snapshot to stdout", errno);
  return {};
}

std::FILE* SnapshotOutput::summary_stream() const { return is_stdout(path_) ? stderr : stdout; }

Result<void> SnapshotOutput::show_summary(const snapshot::Snapshot& snapshot) const {
  std::FILE* const to = summary_stream();
  const std::string summary = terminal::summary(snapshot, terminal::style_of(::fileno(to)));
  std::fwrite(summary.data(), 1, summary.size(), to);
  return to == stderr ? Result<void>() : finish_stdout();
}

}  // namespace compmond::front
