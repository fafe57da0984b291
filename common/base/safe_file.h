// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/fresh_file.h"
#include "base/result.h"

namespace compmond {

// Writes `data` as the whole content of `path`: to a temporary file in the same folder, synced,
// then renamed over it. A symlink at `path` is replaced, never followed; on any failure the old
// file stays whole and the temporary is removed. What is neither a regular file nor a link to one
// (a device, /dev/stdout) is refused, not replaced. A new file gets mode 0644, owned by the user
// who invoked sudo where there is one.
Result<void> write_file_whole(const std::string& path, std::string_view data);
Result<void> write_file_whole(const FilePlace& place, std::string_view data);

// Reads a whole regular file of at most `limit` bytes.
Result<std::string> read_file(const std::string& path, size_t limit);

}  // namespace compmond
