// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/event.h"
#include "recording/recorder.h"

namespace compmond::run {

// What a run writes down of itself: a monitoring log (--record), or the newest seconds of one, kept
// in memory until they are saved (--record-last: the flight recorder). Does nothing where nothing
// is to be recorded. One thread, but for what the recorder says of itself.
class RunLog {
 public:
  struct Options {
    std::string path;  // empty: nothing is recorded
    uint64_t limit_bytes = 0;
    double last_s = 0;  // 0: no flight recorder
  };
  // Creates the files, while that is allowed anywhere. Has no thread before begin().
  static Result<RunLog> open(const Options& options);

  // What the log is to hold of the run but its events, for the header that it began with. The
  // moment, the end and the accounts of the transport are filled in.
  using Tell = std::function<recording::State(const recording::Header&)>;
  // Begins the log: its state is what `tell` says, which is asked again by the functions below.
  // Exit::kUnavailable where there can be no more threads.
  Result<void> begin(recording::Header header, Tell tell);

  // Gets all events, first of all; none where nothing is recorded. As long as this lives.
  recording::Recorder* recorder() const { return recorder_.get(); }
  bool keeps_newest() const { return recorder_ && options_.last_s > 0; }

  // To be called a few times a second: tells the log every 2 s how the run is, and the user, once,
  // what went wrong.
  void serve(uint64_t now_ns);
  // Flight recorder: writes the newest seconds to the log's file; Exit::kUsage without one. Before
  // and after the end.
  Result<void> save(const record::Ledger& capture, uint64_t now_ns);
  // Ends the log once nothing is handed over any more; what went wrong is said.
  void end(const record::Ledger& capture, uint64_t end_ns);

  // Once ended: that writing failed, and what the log has of the run. None: it did not.
  std::optional<Error> failure() const;
  // What the log could not hold, as sentences.
  std::vector<std::string> notes() const;

 private:
  explicit RunLog(const Options& options) : options_(options) {}
  recording::State state(uint64_t now_ns) const;
  bool report_failure();

  Options options_;
  std::unique_ptr<recording::Recorder> recorder_;
  recording::Header header_;
  Tell tell_;
  uint64_t told_ns_ = 0;
  uint64_t end_ns_ = 0;  // once ended
  std::optional<Error> failed_;
};

}  // namespace compmond::run
