// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "core/memory_bound.h"
#include "core/string_map.h"
#include "kieker/events.h"
#include "kieker/records.h"
#include "traces/trace_log.h"
#include "traces/traced.h"

namespace compmond::kieker {

// A log of Kieker as a log of executions: OperationExecutionRecord, and traces of events with their
// metadata (kieker/events.h). Every record of a trace's order takes its place in it; what has none
// is skipped and counted by type. Executions come as the log has them: a trace whose records break
// Kieker's rules is for the assembler to find. docs/analysis.md tells what is read how.
class KiekerReader : public traces::TraceLog {
 public:
  // The catalogue must outlive the reader. Exit::kNoInput: no such folder; Exit::kData: no log.
  // Where what is made of the log reaches `bound`, the rest is not read, and counts as a bad
  // record.
  static Result<std::unique_ptr<KiekerReader>> open(const std::string& path,
                                                    traces::Catalogue& catalogue,
                                                    MemoryBound bound = MemoryBound::of_machine());

  // Whether a regular file of that name may hold such a log.
  static bool is_archive(const std::string& path) { return LogFiles::is_archive(path); }

  std::optional<uint64_t> next_ns() override;
  void step(traces::TracedSink& sink) override;
  const traces::BadRecords& bad_records() const override { return bad_records_; }
  uint64_t skipped() const override;
  std::string lacks(Window time) const override;
  uint64_t done() const override { return records_.bytes_read(); }
  uint64_t total() const override { return records_.bytes_total(); }
  bool traces_end_with_first() const override { return false; }

 private:
  KiekerReader(KiekerRecords records, traces::Catalogue& catalogue, MemoryBound bound)
      : records_(std::move(records)), catalogue_(catalogue), bound_(bound), events_(catalogue) {
    advance();
  }
  void advance();
  void on_metadata_record(const KiekerRecord& record);
  void on_execution_record(const KiekerRecord& record, traces::TracedSink& sink);
  void on_trace_metadata(const KiekerRecord& record, traces::TracedSink& sink);
  bool on_event_record(const KiekerRecord& record, traces::TracedSink& sink);
  void refuse(const std::string& why);
  void count_skipped(std::string_view name);
  uint32_t signature(std::string_view text);
  uint32_t operation(std::string_view signature, std::string_view class_name);

  KiekerRecords records_;
  traces::Catalogue& catalogue_;
  MemoryBound bound_;
  uint64_t advances_ = 0;
  EventTraces events_;
  const KiekerRecord* next_ = nullptr;
  uint64_t unit_ns_ = 1;    // of the log's times
  uint64_t logged_ns_ = 0;  // newest so far
  bool finished_ = false;
  traces::BadRecords bad_records_;
  std::map<std::string, uint64_t, std::less<>> skipped_;  // by type
  StringMap<uint32_t> operations_, signatures_;
  std::string key_;  // reused
};

}  // namespace compmond::kieker
