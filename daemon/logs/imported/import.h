// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "log_format/header.h"

namespace compmond::imported {

// Whether `path` is a log of Kieker: a folder, or an archive of one.
bool is_foreign(const std::string& path);

// Such a log as a monitoring log in memory, which everything that plays one takes. A class of the
// log is a component, a host a process; traces that overlap are on threads of their own
// (imported/pieces.h). What is damaged and broken is said on stderr, as by `compmond analyze`, and
// stands in the notes of the run. Errors as of logs::TraceLogs, and Exit::kData where it is too
// large (limits::kReplayedExecutions, kOperationsMany; kSpecBytes for the names of classes).
Result<Fd> import_log(const std::string& path);
// Whether this is the header of such a one.
bool is_import(const recording::Header& header);

}  // namespace compmond::imported
