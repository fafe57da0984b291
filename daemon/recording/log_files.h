// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "log_format/header.h"
#include "recording/log_part.h"

// Which files a log consists of.
namespace compmond::recording {

// One of them, open, and the newest header in it that is whole.
struct FoundFile {
  LogPart part;
  Header header;
};

// That of this name and, where the run was recorded to two, the other; the older first. Errors as
// of LogReader::open.
Result<std::vector<FoundFile>> find_log_files(const std::string& path);
// The newest state in it that is whole.
std::optional<State> find_last_state(const LogPart& part, const Header& header);

}  // namespace compmond::recording
