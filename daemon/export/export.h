// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "export/report.h"
#include "protocol/inside_report.h"
#include "snapshot/snapshot.h"

// What compmond has measured, in the formats of other programs.
namespace compmond::exporting {

struct ExportType {
  const char* name;
  const char* description;
  // Of the traces of logs; nullptr where the format cannot hold them.
  std::unique_ptr<Report> (*of_log)(const traces::Catalogue& catalogue,
                                    const ReportOptions& options, Out& out);
  // Of a snapshot; nullptr where a snapshot does not know what the format wants.
  Result<void> (*of_snapshot)(const snapshot::Snapshot& snapshot, Out& out);
  // Of a log's samples, `name` being what they are of; nullptr where the format is of calls.
  void (*of_samples)(Out& out, const snapshot::Inside& inside, const std::string& name) = nullptr;
};
// Those that are one document, in the order in which they are listed.
const std::vector<ExportType>& export_types();
// nullptr when there is none of that name.
const ExportType* export_type(std::string_view name);
// Names of those that have this writer, such as &ExportType::of_samples.
std::vector<std::string> export_names(auto ExportType::*writer) {
  std::vector<std::string> out;
  for (const ExportType& type : export_types())
    if (type.*writer) out.emplace_back(type.name);
  return out;
}

}  // namespace compmond::exporting
