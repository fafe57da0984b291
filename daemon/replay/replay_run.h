// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "figures/figures.h"
#include "front/run.h"
#include "present/run_parts.h"
#include "present/view_answer.h"
#include "replay/logged_run.h"
#include "replay/replay_player.h"
#include "replay/replay_transport.h"

namespace compmond::replay {

// A recorded run in place of a live one. Stands still at its beginning when opened, and has no
// thread of its own before start(). To be used by one thread.
class ReplayRun : public front::Run {
 public:
  struct Options {
    int history_mib = 0;       // for executions; 0: as much as the run itself had
    bool exit_on_slo = false;  // keep the first execution that missed its objective
    // Of the figures; seconds count from the run's start. The log is not read further than `to`.
    std::optional<text::Moment> from, to;
    bool raw_costs = false;  // as figures::Model
  };
  // Exit::kNoInput, Exit::kNoPermission or Exit::kData when the log cannot be replayed,
  // Exit::kUsage where it has nothing of the time that is asked for.
  static Result<std::unique_ptr<ReplayRun>> open(const std::string& path, const Options& options);

  // Makes its thread, before it is moved or looked at. Exit::kUnavailable where there can be no
  // more of them.
  Result<void> start() { return player_.start(); }
  // At so many times the original speed, from `from` on; 0: as fast as it goes, from the
  // beginning.
  void play(double speed);
  ReplayPlayer& player() { return player_; }
  const plan::Plan& plan() const { return run_.plan; }
  const plan::OperationStates& states() const { return run_.states; }  // as last looked at
  // The first execution that missed its objective up to the position, in words; of those that are
  // open there only `with_open`, since which they are depends on the position.
  std::optional<std::string> first_missed(bool with_open);

  const std::string& spec_name() const override { return run_.spec.name; }
  bool is_replay() const override { return true; }
  bool may_be_suspended() const override { return true; }
  void service() override;
  uint64_t service_ns() const override { return 20'000'000; }  // how soon its end is noticed
  const Fd& wake_fd() const override { return nothing_; }
  void stop() override;
  bool ended() const override { return transport_.done(); }
  // At the position. `window_s` <= 0: what the options ask for, else the whole run until then.
  snapshot::Snapshot snapshot(double window_s, const std::string& metric,
                              const snapshot::HeatWish& heat) override;
  void compare_with(const snapshot::Snapshot& saved) override;
  Result<snapshot::View> view(const snapshot::ViewRequest& request) override;
  Result<snapshot::AnalysisRequest> inside_of(const std::string& name) const override;
  const std::optional<std::string>& missed_objective() const override { return missed_; }
  std::vector<std::string> last_words() const override;  // what is damaged
  Result<std::string> save_recording() override;
  Result<std::string> control(const snapshot::ControlRequest& request) override;
  std::optional<Result<std::string>> toggle_probes() override { return std::nullopt; }

 private:
  ReplayRun(recording::LogReader reader, pipeline::Options pipeline,
            std::optional<estimate::Model> sampled, LoggedRun run, const Options& options);
  // What parts of a run borrow beside what is kept here.
  struct Told {
    pipeline::SharedCheckpoint of;
    recording::State state;
    target::ObservedProcesses processes;
    std::vector<std::string> notes;
    bool ended = false;
  };
  uint64_t moment(const text::Moment& one) const;
  const Told& tell(const ReplayPlayer::Picture& picture);
  std::optional<std::string> missed_in_part();
  present::RunParts parts(const Told& told) const;
  std::vector<std::string> notes(const recording::State& state,
                                 const ReplaySource::Position& position) const;
  std::optional<Window> window(uint64_t now_ns) const;

  LoggedRun run_;
  Options options_;
  ReplayPlayer player_;
  ReplayTransport transport_;  // after player_
  Told told_;                  // of the latest picture
  present::TraceAnalyst analyst_;
  std::optional<std::string> missed_;
  std::optional<present::Baseline> baseline_;
  const Fd nothing_;
};

}  // namespace compmond::replay
