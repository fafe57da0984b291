// SPDX-License-Identifier: Apache-2.0
#include "app/document.h"

#include <cstdio>

namespace compmond::app {

Result<Document> Document::open(const std::string& path) {
  Document out;
  if (path.empty() || path == "-") return out;
  auto file = SafeFile::open(path);
  if (!file) return Unexpected(std::move(file.error()));
  out.file_.emplace(std::move(*file));
  return out;
}

void Document::drain(std::string_view text) {
  if (file_)
    file_->write(text);
  else
    std::fwrite(text.data(), 1, text.size(), stdout);  // a failure shows in finish_stdout()
}

Result<void> Document::commit() {
  flush();
  return file_ ? file_->commit() : Result<void>();
}

}  // namespace compmond::app
