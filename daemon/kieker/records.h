// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "kieker/input.h"
#include "kieker/record.h"
#include "kieker_files/log_files.h"
#include "traces/trace_log.h"

namespace compmond::kieker {

// The records of a log, its files in the order of their names, text and binary. What is wrong with
// one is reported with file and place; the next one follows. Behind a binary record of a type that
// is not known, of which nobody knows the length, the rest of its file cannot be read.
class KiekerRecords {
 public:
  // Exit::kNoInput or Exit::kNoPermission when it cannot be read, Exit::kData when it is no log.
  static Result<KiekerRecords> open(const std::string& path);

  // nullptr at the end.
  const KiekerRecord* next(traces::BadRecords& bad);
  // "log/kieker-1.dat:17", of the record read last; of a binary one the byte where it begins.
  std::string where() const;

  // On disk; of an archive not exact before the end, as its files may be in any order.
  uint64_t bytes_read() const;
  uint64_t bytes_total() const { return files_.packed_bytes(); }

 private:
  KiekerRecords(LogFiles files, KiekerMap map) : files_(std::move(files)), map_(std::move(map)) {}
  bool open_next(traces::BadRecords& bad);
  void leave_file();
  void read_text(traces::BadRecords& bad);
  bool take_line_apart(traces::BadRecords& bad);
  bool take_untyped(std::string_view first);
  void read_binary(traces::BadRecords& bad);
  bool take_fields(std::string_view layout, traces::BadRecords& bad);
  void leave_rest() { input_->leave(); }

  LogFiles files_;
  KiekerMap map_;
  size_t file_ = 0;  // the one being read
  std::unique_ptr<Input> input_;
  bool binary_ = false;
  uint64_t place_ = 0;  // line, or byte
  uint64_t done_ = 0;   // bytes of the files before
  bool found_ = false;  // record_ is one
  std::string line_;
  KiekerRecord record_;
};

}  // namespace compmond::kieker
