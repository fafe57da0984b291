// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "front/inside_output.h"
#include "front/options.h"
#include "front/run.h"
#include "front/screen.h"
#include "front/signals.h"
#include "front/snapshot_output.h"
#include "front/view_server.h"
#include "terminal/live.h"

namespace compmond::front {

// Shows one run, live or replayed: to clients, on a screen, on the terminal, as snapshots; and does
// what people ask of it. One thread.
class Front {
 public:
  // Takes what may fail before a run is made for it: signals, files, sockets. Before any thread.
  static Result<std::unique_ptr<Front>> open(const Options& options);

  // The signals that were blocked before.
  const sigset_t& blocked_before() const { return signals_.before(); }
  // Somebody may look while it runs.
  bool looked_at() const { return live_.on() || server_; }

  // Begins to show `run`, which must be there until drive() returns; opens the screen, where there
  // is to be one, with the rights that there are now.
  Result<void> show(Run& run);
  // Until a signal, the duration's end, the screen's, a client's wish, a missed objective where
  // that is asked for, or the run's end; what an ended run left stays to be looked at as long as
  // the screen is open. Then ends the run, writes the snapshot and prints the summary; a signal
  // that comes meanwhile ends the process.
  Result<void> drive();

 private:
  Front(const Options& options, SnapshotOutput output, InsideOutput inside, Screen screen);
  std::string watch();                               // until the end; why it came
  std::optional<std::string> over(uint64_t now_ns);  // why, once it is
  void obey(Wake wake);
  void suspend();
  void toggle_probes();
  snapshot::Snapshot look();
  Result<std::string> write_snapshot();
  Result<void> write(const snapshot::Snapshot& snapshot, const std::function<void()>& meanwhile);
  void give_up_if_it_lasts();
  Result<void> finish();

  const Options options_;
  Signals signals_;
  terminal::Live live_;
  SnapshotOutput output_;
  InsideOutput inside_;
  Screen screen_;
  std::unique_ptr<ViewServer> server_;  // none: nobody may look
  std::optional<snapshot::Snapshot> baseline_;
  Run* run_ = nullptr;                         // once shown
  std::optional<uint64_t> stopped_to_end_ns_;  // while a snapshot was being written
  const Fd nothing_;
};

}  // namespace compmond::front
