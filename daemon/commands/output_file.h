// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/fresh_file.h"
#include "base/out.h"
#include "base/result.h"
#include "commands/gzip.h"

namespace compmond::commands {

// The end of a file's name that asks for gzip.
constexpr std::string_view kGzipEnd = ".gz";

// A document on its way to stdout ("-" or an empty path) or to a file, which appears whole or not
// at all; packed where its name asks for that.
class OutputFile : public Out {
 public:
  static Result<OutputFile> open(const std::string& path);
  Result<void> commit();

 protected:
  void drain(std::string_view text) override;

 private:
  OutputFile() = default;
  void append(std::string_view bytes) {
    if (written_) written_ = file_->append(bytes);
  }

  std::optional<FreshFile> file_;  // nothing: stdout
  std::optional<Gzip> gzip_;
  Result<void> written_;  // the first failure
};

}  // namespace compmond::commands
