// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "traces/trace_log.h"

namespace compmond::kieker {

// One record of Kieker's text format, its line taken apart. Views into the folder's buffer, valid
// until the next one is read.
struct KiekerRecord {
  std::string_view type;                 // simple class name, as OperationExecutionRecord
  uint64_t logged_ns = 0;                // the record's logging timestamp, in the log's own unit
  std::vector<std::string_view> fields;  // those behind the timestamp, escapes undone
};

// The lines of a folder with kieker.map and .dat files, the files in the order of their names. What
// is wrong with a line is reported to `bad` with file and line; the next one follows.
class KiekerFolder {
 public:
  // Exit::kNoInput when there is no such folder or file, Exit::kData when it is no log of Kieker.
  static Result<KiekerFolder> open(const std::string& path);

  // nullptr at the end.
  const KiekerRecord* next(traces::BadRecords& bad);
  // "kieker-1.dat:17", of the record read last.
  std::string where() const;

  uint64_t bytes_read() const { return bytes_read_; }
  uint64_t bytes_total() const { return bytes_total_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  KiekerFolder() = default;
  Result<void> read_map();
  Result<void> list_files();
  bool next_line(traces::BadRecords& bad);
  bool take_apart(traces::BadRecords& bad);

  std::string path_;
  std::map<std::string, std::string, std::less<>> types_;  // "$1" -> simple class name
  std::vector<std::string> files_;                         // names
  size_t file_ = 0;                                        // the one being read
  std::unique_ptr<std::FILE, Close> stream_;
  uint64_t line_number_ = 0;
  uint64_t bytes_read_ = 0, bytes_total_ = 0;
  std::string line_;
  KiekerRecord record_;
};

}  // namespace compmond::kieker
