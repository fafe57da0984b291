// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/fresh_file.h"
#include "base/out.h"
#include "base/result.h"

namespace compmond::commands {

// A document on its way to stdout ("-" or an empty path) or to a file, which appears whole or not
// at all.
class OutputFile : public Out {
 public:
  static Result<OutputFile> open(const std::string& path);
  Result<void> commit();

 protected:
  void drain(std::string_view text) override;

 private:
  OutputFile() = default;
  std::optional<FreshFile> file_;  // nothing: stdout
  Result<void> written_;           // the first failure
};

}  // namespace compmond::commands
