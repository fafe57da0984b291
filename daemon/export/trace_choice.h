// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "export/report.h"
#include "graphs/equivalence.h"

namespace compmond::exporting {

// The one trace, or class of traces, that a report is about: --trace, --class, else the first.
class TraceChoice {
 public:
  explicit TraceChoice(const ReportOptions& options)
      : trace_(options.trace), class_number_(options.class_number), classes_(options.with_host) {}

  void add(const traces::Trace& trace);
  // Lives as long as this. Exit::kNoInput when the log does not hold what was asked for.
  Result<const graphs::EquivalenceClass*> chosen() const;
  // Says which trace was chosen where nobody asked for one and there are others.
  std::string note() const;

 private:
  std::optional<int64_t> trace_;
  std::optional<uint32_t> class_number_;
  std::optional<graphs::EquivalenceClass> found_;
  graphs::EquivalenceClasses classes_;
  uint64_t seen_ = 0;
};

}  // namespace compmond::exporting
