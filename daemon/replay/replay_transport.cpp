// SPDX-License-Identifier: Apache-2.0
#include "replay/replay_transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text/numbers.h"

namespace compmond::replay {
namespace {

constexpr double kPatience = 0.1;  // seconds in which most steps and jumps arrive
constexpr double kMostSpeed = 1e6;
constexpr double kMostSteps = 1e9;

Unexpected bad_value(const std::string& action, const std::string& why) {
  return fail(Exit::kData, fmt::format("cannot {}", action), why, "See docs/protocol.md.");
}

}  // namespace

void ReplayTransport::play(double speed, std::optional<uint64_t> from_ns) {
  speed_ = speed;
  playing_ = true;
  seeking_ = false;
  if (from_ns)
    go_to(*from_ns);
  else
    player_.play(speed);
}

void ReplayTransport::go_to(uint64_t time_ns) {
  player_.start_seek(
      std::clamp(time_ns, std::min(player_.source().begin_ns(), last_ns_), last_ns_));
  seeking_ = true;
}

Result<std::string> ReplayTransport::control(const snapshot::ControlRequest& request) {
  using snapshot::Action;
  if (request.action == Action::kPlay) return play_again(request.value);
  if (request.action == Action::kStep) return step(request.value);
  if (request.action == Action::kSeek) return seek(request.value);
  if (request.action != Action::kPause)
    return bad_value("do this", "this is a replay: only a live run has probes to switch");
  if (request.value) return bad_value("pause", "'pause' takes no value");
  playing_ = seeking_ = false;
  player_.pause();
  return "paused " + place();
}

Result<std::string> ReplayTransport::play_again(std::optional<double> value) {
  const double speed = value.value_or(speed_);
  if (!(speed >= 0 && speed <= kMostSpeed))
    return bad_value("play", fmt::format("the speed {} is not from 0 to {:g}", speed, kMostSpeed));
  play(speed, done() ? std::optional(player_.source().begin_ns()) : std::nullopt);
  return speed > 0 ? fmt::format("plays at {:g} times the original speed, {}", speed, place())
                   : "plays as fast as it goes, " + place();
}

Result<std::string> ReplayTransport::step(std::optional<double> value) {
  const double events = value.value_or(1);
  if (!(events >= 1 && events <= kMostSteps && events == std::floor(events)))
    return bad_value("step",
                     fmt::format("{} is no whole number from 1 to {:g}", events, kMostSteps));
  if (done()) return bad_value("step", "the replay is at its end: seek first");
  playing_ = seeking_ = false;
  player_.start_step(uint64_t(events));
  const bool there = player_.wait(kPatience);
  return (there ? "stands " : "on its way, ") + place();
}

Result<std::string> ReplayTransport::seek(std::optional<double> value) {
  if (!value) return bad_value("seek", "the value is missing: seconds after the run's start");
  if (!(*value >= 0 && *value < 1e9))
    return bad_value("seek", fmt::format("{} s is no time after the run's start", *value));
  const uint64_t wanted = player_.source().header().start_ns + uint64_t(std::llround(*value * 1e9));
  go_to(wanted);
  const bool there = player_.wait(kPatience);
  service();
  return (there ? (playing_ ? "plays on " : "stands ") : "on its way, ") + place();
}

// Up to the log's end there may be events of other threads that are older than the newest.
bool ReplayTransport::done() const {
  if (seeking_) return false;
  const ReplaySource::Position position = player_.position();
  return position.at_end || (last_ns_ < player_.source().end_ns() && position.time_ns >= last_ns_);
}

void ReplayTransport::service() {
  const bool arrived = seeking_ && player_.wait(0);
  if (arrived) seeking_ = false;
  if (seeking_) return;
  if (done()) {
    if (player_.position().moving) player_.pause();
    playing_ = false;
  } else if (arrived && playing_) {
    player_.play(speed_);
  }
}

std::string ReplayTransport::place() const {
  return "at " +
         text::moment(double(player_.position().time_ns - player_.source().header().start_ns), 1e6);
}

}  // namespace compmond::replay
