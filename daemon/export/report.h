// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/out.h"
#include "base/result.h"
#include "base/words.h"
#include "graphs/naming.h"
#include "traces/trace_log.h"

namespace compmond::exporting {

enum class Format : uint8_t { kText, kJson, kDot, kPlantUml, kSvg };
constexpr auto words(Format) {
  return word_table<Format>({{Format::kText, "text"},
                             {Format::kJson, "json"},
                             {Format::kDot, "dot"},
                             {Format::kPlantUml, "plantuml"},
                             {Format::kSvg, "svg"}});
}

struct ReportOptions {
  Format format = Format::kText;
  std::optional<graphs::Level> level;  // nothing: the report's own
  bool with_host = false;
  bool self_calls = false;
  std::optional<int64_t> trace;          // for reports on one trace
  std::optional<uint32_t> class_number;  // as numbered by equivalence-classes, from 1
};

// One analysis on its way from traces to a document. Use: add() per trace, then finish() once.
class Report {
 public:
  virtual ~Report() = default;
  virtual void add(const traces::Trace& trace) = 0;
  // Writes the document. Exit::kNoInput when the trace or class asked for is not in the log;
  // Exit::kData when the result is too large for this format.
  virtual Result<void> finish(const traces::LogFacts& facts) = 0;
  // What the reader should know that is not in the document; empty for nothing.
  virtual std::string note() const { return {}; }
};

struct ReportType {
  const char* name;
  const char* description;
  std::vector<Format> formats;
  std::unique_ptr<Report> (*make)(const traces::Catalogue& catalogue, const ReportOptions& options,
                                  Out& out);
};
// All reports, in the order in which they are listed.
const std::vector<ReportType>& report_types();
// nullptr when there is none of that name.
const ReportType* report_type(std::string_view name);

}  // namespace compmond::exporting
