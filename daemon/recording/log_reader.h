// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/memory_bound.h"
#include "log_format/header.h"
#include "record/event.h"
#include "recording/damage.h"
#include "recording/decoded_chunk.h"

namespace compmond::recording {

// Reads a monitoring log (docs/log-format.md) from front to back, as often as wanted, one chunk in
// memory at a time. Where a run was recorded to several files (--record-limit), the older one is
// read first if it still lies beside the newer one. The file is treated as hostile: everything is
// checked and bounded. Damage is skipped and reported; executions open across missing events are
// told as lost by loss events on all threads known there; missing samples count as lost by a
// stretch in which none were taken. Where what is made of it takes too much memory, the rest is
// passed over, which is told as damage, too. One thread.
class LogReader {
 public:
  // Exit::kNoInput or Exit::kNoPermission when the file cannot be read; Exit::kData when it is no
  // log or no header in it is whole.
  static Result<LogReader> open(const std::string& path,
                                MemoryBound bound = MemoryBound::of_machine());
  LogReader(LogReader&&) noexcept;
  LogReader& operator=(LogReader&&) noexcept;
  ~LogReader();

  const Header& header() const;
  // The newest state among what was passed so far, at first the header's.
  const State& state() const;
  // The newest state in the log. Its `ended` is false when the log ends before its run did.
  const State& last_state() const;

  // What all targets together had used at that moment since observation began: between two states
  // of the log in proportion to the time.
  uint64_t cpu_used_ns(uint64_t time_ns) const;

  // CLOCK_MONOTONIC: when the log begins (header().start_ns unless older files are gone), and the
  // end of the run, or else the latest time that the log knows of.
  uint64_t begin_ns() const;
  uint64_t end_ns() const;
  // That the chunks of the log claim to hold; known from the start, for showing progress.
  uint64_t events() const;
  uint64_t samples() const;

  // Hands the next chunk's threads and events to the sink; false at the end. Thread ids are dense
  // in order of first sight: those of the run itself where nothing is missing.
  bool next(record::EventSink& sink);
  // The same, for who wants to go through it at his own pace, and the only one that tells samples
  // and slices.
  bool next(DecodedChunk& out);
  // From now on.
  void bound_by(MemoryBound bound);
  void rewind();
  // Goes on with the first chunk that holds an event at `time_ns` or later. Executions open there
  // are not known then: exits whose entries were skipped are orphans.
  void seek(uint64_t time_ns);

  // In order of place; complete once next() gave false.
  const std::vector<Damage>& damage() const;

 private:
  struct Impl;
  explicit LogReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace compmond::recording
