// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "figures/figures.h"
#include "pipeline/pipeline.h"
#include "pipeline/publisher.h"
#include "present/run_parts.h"
#include "present/view_answer.h"
#include "replay/replay_source.h"
#include "run/log_values.h"
#include "snapshot/snapshot.h"
#include "snapshot/view.h"

namespace compmond::replay {

// A recorded run in place of a live one: the same pipeline, fed from its log. Stands still at its
// beginning when opened, and has no thread of its own before it is first moved or looked at. To be
// used by one thread.
class ReplayRun {
 public:
  // `history_bytes` 0: as much memory for executions as the run itself had. Exit::kNoInput,
  // Exit::kNoPermission or Exit::kData when the log cannot be replayed.
  static Result<std::unique_ptr<ReplayRun>> open(const std::string& path, size_t history_bytes = 0);
  ~ReplayRun();

  // At so many times the original speed; 0: as fast as it goes.
  void play(double speed);
  void pause() { source_.pause(); }
  // So many events further, then stands still; it may still be on its way there.
  void start_step(uint64_t events);
  // To just before the first event after `time_ns`, and stands still there; likewise. Backwards
  // means all over again from the beginning, since what was open then follows from all events
  // before.
  void start_seek(uint64_t time_ns);
  // Likewise, and there when they return.
  void step(uint64_t events = 1);
  void seek(uint64_t time_ns);
  // Until it stands still, at most so long; whether it does.
  bool wait(double seconds) { return source_.wait(seconds); }
  ReplaySource::Position position() const { return source_.position(); }
  // Of the run, CLOCK_MONOTONIC of its machine; begin_ns is later where the log lacks its
  // beginning.
  uint64_t start_ns() const { return source_.header().start_ns; }
  uint64_t begin_ns() const { return source_.begin_ns(); }
  uint64_t end_ns() const { return source_.end_ns(); }
  uint64_t events() const { return source_.events(); }
  // Found so far.
  std::vector<recording::Damage> damage() const { return source_.damage(); }

  // What was to be shown at the position. `window_s` <= 0: the whole run until then.
  snapshot::Snapshot snapshot(double window_s, const std::string& metric,
                              std::optional<figures::Window> window = std::nullopt);
  // The answer to a client, of the position or, while it moves, at most 20 ms old; errors as in
  // present::answer_view.
  Result<snapshot::View> view(const snapshot::ViewRequest& request);
  const std::string& spec_name() const { return run_.spec.name; }
  // The first execution that missed its objective up to the position, in words; of those that are
  // open there only `with_open`, since which they are depends on the position.
  std::optional<std::string> missed_objective(bool with_open);
  const plan::Plan& plan() const { return run_.plan; }

 private:
  ReplayRun(recording::LogReader reader, run::LoggedRun run, size_t history_bytes);
  // What parts of a run borrow beside what is kept here.
  struct Told {
    recording::State state;
    target::ObservedProcesses processes;
    std::vector<std::string> notes;
    bool ended = false;
  };
  void begin();
  void settle();
  void look();
  Told told(bool at_end);
  present::RunParts parts(const Told& told, const history::Checkpoint& checkpoint) const;
  std::vector<std::string> notes(const recording::State& state) const;

  ReplaySource source_;
  run::LoggedRun run_;
  size_t history_bytes_;
  std::unique_ptr<pipeline::Pipeline> pipeline_;  // after source_: it drains it
  pipeline::Publisher publisher_;
  // Of the latest view.
  struct Viewed {
    pipeline::SharedCheckpoint checkpoint;
    ReplaySource::Position position;  // no later than the checkpoint
    Told told;
    uint64_t taken_ns = 0;  // by this machine's clock
    present::EventRate rate;
  };
  std::optional<Viewed> viewed_;
  present::TraceAnalyst analyst_;
};

}  // namespace compmond::replay
