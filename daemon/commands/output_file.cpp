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
  if (path.ends_with(kGzipEnd)) out.gzip_.emplace();
  return out;
}

void OutputFile::drain(std::string_view text) {
  if (!file_)
    std::fwrite(text.data(), 1, text.size(), stdout);  // a failure shows in finish_stdout()
  else if (gzip_)
    gzip_->add(text, [this](std::string_view packed) { append(packed); });
  else
    append(text);
}

Result<void> OutputFile::commit() {
  flush();
  if (gzip_) gzip_->finish([this](std::string_view packed) { append(packed); });
  if (!file_ || !written_) return std::move(written_);
  if (auto synced = file_->sync(); !synced) return synced;
  return file_->publish();
}

}  // namespace compmond::commands
