// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "kieker/record_output.h"
#include "traces/traced.h"

namespace compmond::kieker {

// What tells of a trace.
enum class Records {
  kExecutions,  // OperationExecutionRecords: not whether an execution failed
  kEvents,      // TraceMetadata, Before-, After- and AfterOperationFailedEvents: not that an
                // execution is on another host than its trace, or in another session
};

// Writes traces as a log of Kieker, which Kieker's own tools read. An operation that came from
// Kieker keeps its signature; others get one made of their component's path and name.
class KiekerWriter {
 public:
  // Makes the folder. Exit::kCantCreate when it exists and is not empty, or cannot be made. The
  // catalogue must outlive the writer.
  static Result<KiekerWriter> open(const std::string& folder, Records records, Encoding encoding,
                                   const traces::Catalogue& catalogue);

  void write(const traces::Trace& trace);
  // What of the traces written so far those records cannot tell, in words; empty: nothing.
  std::string lost() const;
  Result<void> commit() { return output_.commit(); }

 private:
  KiekerWriter(RecordOutput output, Records records, const traces::Catalogue& catalogue)
      : output_(std::move(output)), records_(records), catalogue_(catalogue) {}
  const std::string& signature(uint32_t operation);
  void write_metadata(const traces::TracedExecution& first);
  void write_executions(const traces::Trace& trace);
  void write_events(const traces::Trace& trace);
  void write_event(const traces::TracedExecution& execution, int32_t order, bool begins);

  RecordOutput output_;
  Records records_;
  const traces::Catalogue& catalogue_;
  bool begun_ = false;
  std::vector<std::string> signatures_;              // per operation; empty: not made yet
  std::unordered_map<std::string, uint32_t> taken_;  // made signature -> operation
  std::vector<uint32_t> order_;                      // reused
  // What records cannot tell.
  uint64_t failed_ = 0, elsewhere_ = 0, linked_ = 0, nested_ = 0;
  double probes_ns_ = 0;  // in all times
};

}  // namespace compmond::kieker
