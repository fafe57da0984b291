// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "protocol/protocol.h"
#include "protocol/view.h"
#include "replay/replay_player.h"

namespace compmond::replay {

// The buttons of a replay: pause, play, step, seek, for clients. It comes to a stand at `last_ns`.
// Holds up its caller for a tenth of a second at most; a longer way is gone while others are
// answered. Of the player's thread.
class ReplayTransport {
 public:
  // Stands still until something is asked for; `player` must outlive it.
  ReplayTransport(ReplayPlayer& player, uint64_t last_ns) : player_(player), last_ns_(last_ns) {
    player.end_at(last_ns);
  }

  // From `from_ns` on, else from where it stands; 0: as fast as it goes.
  void play(double speed, std::optional<uint64_t> from_ns = std::nullopt);
  // The control actions of docs/protocol.md. Exit::kData on anything else, on a value out of range,
  // and on what goes beyond the end.
  Result<std::string> control(const snapshot::ControlRequest& request);
  // Goes on playing where that was interrupted by a seek; stands still at the last moment. To be
  // called many times a second.
  void service();
  // At the last moment.
  bool done() const;

 private:
  Result<std::string> play_again(std::optional<double> value);
  Result<std::string> step(std::optional<double> value);
  Result<std::string> seek(std::optional<double> value);
  void go_to(uint64_t time_ns);
  std::string place() const;

  ReplayPlayer& player_;
  uint64_t last_ns_;
  double speed_ = 1;
  bool playing_ = false;  // or would, were it not on its way to another place
  bool seeking_ = false;
};

}  // namespace compmond::replay
