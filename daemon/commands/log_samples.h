// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "export/export.h"
#include "replay/logged_samples.h"

namespace compmond::commands {

// What the samples of a log tell, written to `output` ("-" or empty: stdout); what they lack is
// said on stderr. Exit::kUsage where there are several logs, else as of replay::inside_of_log.
Result<void> write_inside(const std::vector<std::string>& logs, const replay::SamplesAsked& asked,
                          exporting::Format format, const std::string& output);
// `type` must be able to.
Result<void> export_samples(const std::vector<std::string>& logs, const replay::SamplesAsked& asked,
                            const exporting::ExportType& type, const std::string& output);

}  // namespace compmond::commands
