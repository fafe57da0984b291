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
class Document : public Out {
 public:
  static Result<Document> open(const std::string& path);
  Result<void> commit();

 protected:
  void drain(std::string_view text) override;

 private:
  Document() = default;
  std::optional<FreshFile> file_;  // nothing: stdout
  Result<void> written_;           // the first failure
};

}  // namespace compmond::commands
