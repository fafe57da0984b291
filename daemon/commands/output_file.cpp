// SPDX-License-Identifier: Apache-2.0
#include "commands/output_file.h"

#include <cstdio>

namespace compmond::commands {

Result<OutputFile> OutputFile::open(const std::string& path) {
  OutputFile out;
  if (path.empty() || is_stdout(path)) return out;
  auto file = FreshFile::create(path);
  if (!file) return Unexpected(std::move(file.error()));
  out.file_.emplace(std::move(*file));
  return out;
}

void OutputFile::drain(std::string_view text) {
  if (!file_)
    std::fwrite(text.data(), 1, text.size(), stdout);  // a failure shows in finish_stdout()
  else if (written_)
    written_ = file_->append(text);
}

Result<void> OutputFile::commit() {
  flush();
  if (!file_ || !written_) return std::move(written_);
  if (auto synced = file_->sync(); !synced) return synced;
  return file_->publish();
}

}  // namespace compmond::commands
