// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "base/string_map.h"
#include "kieker/events.h"
#include "kieker/folder.h"
#include "traces/trace_log.h"
#include "traces/traced.h"

namespace compmond::kieker {

// A folder in Kieker's text format as a log of executions: OperationExecutionRecord, and
// TraceMetadata with Before, After, AfterFailed and Call events of operations and constructors (the
// forms with object ids too). Other record types are skipped and counted. Executions come as the
// log has them: a trace whose records break Kieker's rules is for the assembler to find.
// docs/analysis.md tells what is read how.
class KiekerReader : public traces::TraceLog {
 public:
  // The catalogue must outlive the reader. Exit::kNoInput: no such folder; Exit::kData: no log.
  static Result<std::unique_ptr<KiekerReader>> open(const std::string& path,
                                                    traces::Catalogue& catalogue);

  std::optional<uint64_t> next_ns() override;
  void step(traces::TracedSink& sink) override;
  const traces::BadRecords& bad_records() const override { return bad_records_; }
  uint64_t skipped() const override { return skipped_; }
  uint64_t done() const override { return folder_.bytes_read(); }
  uint64_t total() const override { return folder_.bytes_total(); }
  bool traces_end_with_first() const override { return false; }

 private:
  KiekerReader(KiekerFolder folder, traces::Catalogue& catalogue)
      : folder_(std::move(folder)), catalogue_(catalogue), events_(catalogue) {
    advance();
  }
  void advance();
  void on_metadata_record(const KiekerRecord& record);
  void on_execution_record(const KiekerRecord& record, traces::TracedSink& sink);
  void on_trace_metadata(const KiekerRecord& record);
  bool on_event_record(const KiekerRecord& record, traces::TracedSink& sink);
  uint32_t operation(std::string_view signature, std::string_view class_name);

  KiekerFolder folder_;
  traces::Catalogue& catalogue_;
  EventTraces events_;
  const KiekerRecord* next_ = nullptr;
  uint64_t unit_ns_ = 1;    // of the log's times
  uint64_t logged_ns_ = 0;  // newest so far
  bool finished_ = false;
  traces::BadRecords bad_records_;
  uint64_t skipped_ = 0;
  StringMap<uint32_t> operations_;
  std::string key_;  // reused
};

}  // namespace compmond::kieker
