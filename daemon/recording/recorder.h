// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "core/limits.h"
#include "log_format/block.h"
#include "log_format/header.h"
#include "record/event.h"
#include "recording/flight_buffer.h"
#include "recording/log_file.h"

namespace compmond::recording {

// Records what sources hand over: events, and samples and slices that were packed before. Who hands
// it over never waits: events are copied to a bounded queue of blocks, from which a thread of the
// recorder's own packs and writes them. Where that is too slow, or the disk full, events and
// samples are left out of the log, counted, and the log's readers see the gap.
class Recorder : public record::EventSink {
 public:
  struct Options {
    std::string path;
    uint64_t limit_bytes = 0;  // of all files together; 0: none
    uint64_t last_ns = 0;      // flight recorder: only so much, in memory until save(); 0: off
    std::function<Result<void>(std::string_view)> save_log;  // then: writes a whole log to its file
    size_t queue_bytes = limits::kLogQueueBytes;
  };
  // Creates the files, with the rights that there are now; has no thread yet.
  static Result<std::unique_ptr<Recorder>> open(Options options);
  // Begins the log; comes before everything below. Exit::kUnavailable where there can be no more
  // threads.
  Result<void> start(Header header);
  ~Recorder() override;  // what is queued is written; the log has no end then (see finish)

  // Drain thread.
  void on_thread(record::ThreadId thread, const record::ThreadInfo& info) override;
  void on_events(record::ThreadId thread, std::span<const record::Event> events) override;

  // Any thread. A sealed chunk of samples or slices; number and order are its maker's to keep.
  void on_packed(const ChunkHead& head, std::string bytes);

  // What follows: any one other thread.

  // What the log shall say of the run from now on. Numbers of events and samples are filled in.
  void update(State state);
  // Waits until everything handed over so far is written.
  void flush();
  struct Status {
    uint64_t events = 0;                        // handed over
    uint64_t dropped = 0;                       // of these not in the log
    uint64_t samples = 0, dropped_samples = 0;  // likewise
    bool dropped_slices = false;                // some are not in the log
    uint64_t bytes = 0;                         // written, or held in memory
    bool overflowed = false;                    // the flight recorder cannot hold all of its time
  };
  Status status() const;
  // The first thing that went wrong while writing; told once.
  std::optional<Error> take_error();
  // Flight recorder: writes the newest seconds as a whole log. Waits until that is done. Also after
  // finish().
  Result<void> save(State state);
  // Ends the log with its last state. Nothing may be handed over any more; take_error() tells what
  // went wrong.
  void finish(State state);

 private:
  explicit Recorder(Options options);
  struct Saving {
    State state;
    std::promise<Result<void>> done;
  };

  // Under the mutex.
  Block* writable();
  void hand_on();
  void drop(record::ThreadId thread, std::span<const record::Event> events);
  void fill_in(State& state) const;
  // The recorder's own thread.
  void loop();
  void write(Block& block);
  void write(ChunkHead head, std::string bytes);
  void write(State state);
  void write_packed(std::unique_lock<std::mutex>& lock);
  void dropped(const ChunkHead& head);  // under the mutex
  void stop();

  Header header_;
  const Options options_;
  const size_t max_blocks_;
  std::optional<LogFile> file_;  // none: flight recorder
  FlightBuffer flight_;
  std::unordered_map<record::ThreadId, record::ThreadInfo> threads_;  // alive, for the writer

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::unique_ptr<Block> current_;
  std::deque<std::unique_ptr<Block>> full_;
  std::vector<std::unique_ptr<Block>> spare_;
  struct Packed {
    ChunkHead head;
    std::string bytes;
  };
  std::deque<Packed> packed_;  // waiting to be written
  size_t packed_bytes_ = 0;
  size_t blocks_ = 0;
  std::unordered_map<record::ThreadId, record::ThreadInfo> unwritten_;  // while dropping: begun
  std::vector<record::ThreadId> ended_;                                 // and ended
  std::optional<State> state_;
  std::optional<Saving> saving_;
  std::optional<Error> error_;
  bool error_told_ = false;
  Status status_;
  bool flushing_ = false, stopping_ = false;
  std::thread thread_;
};

}  // namespace compmond::recording
