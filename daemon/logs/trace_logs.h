// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "text/moment.h"
#include "traces/assembler.h"
#include "traces/trace_linker.h"
#include "traces/trace_log.h"
#include "traces/traced.h"

namespace compmond::logs {

// The logs that `analyze` and `export` read, opened together: executions with the same trace id in
// several logs of Kieker belong to one trace, and what arguments say connects the threads,
// processes and hosts of several recorded logs (traces/trace_linker.h).
class TraceLogs {
 public:
  // `raw_costs`: as of RecordedTraces. Exit::kNoInput, Exit::kNoPermission or Exit::kData, of the
  // first path that cannot be read.
  static Result<TraceLogs> open(const std::vector<std::string>& paths, bool raw_costs = false);

  const traces::Catalogue& catalogue() const { return *catalogue_; }

  struct Choice {
    bool repair = false;
    // Only traces that overlap this time; seconds count from when the first run began, of a log
    // that does not say so from the earliest start of a trace.
    std::optional<text::Moment> from, to;
  };
  // Reads everything but traces of times in which probes were away, tells on stderr how far it is
  // where that takes longer than a second, and says what was damaged and what was broken.
  // Exit::kData when no trace can be used.
  Result<traces::LogFacts> read(const Choice& choice, traces::TraceAssembler::Deliver deliver);

 private:
  TraceLogs() : catalogue_(std::make_unique<traces::Catalogue>()) {}
  Result<void> add(const std::string& path, bool raw_costs);
  Window span(const Choice& choice) const;
  uint64_t begin_ns() const;
  void assemble(traces::TraceAssembler& assembler, traces::TraceLinker& linker);
  bool saw_all_of(const traces::Trace& trace) const;
  struct Unread {
    uint64_t records = 0, contexts = 0;
    std::string example;  // of a record
  };
  Unread say_unread(Window time) const;  // says what was damaged, too
  Unexpected unusable(const Choice& choice, const traces::TraceAssembler& assembler,
                      const Unread& unread, uint64_t not_seen) const;

  std::unique_ptr<traces::Catalogue> catalogue_;  // logs refer to it
  std::vector<std::string> paths_;
  std::vector<std::unique_ptr<traces::TraceLog>> logs_;  // by path
};

}  // namespace compmond::logs
