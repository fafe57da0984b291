// SPDX-License-Identifier: Apache-2.0
#include "replay/replay_player.h"

#include <malloc.h>

#include <utility>

namespace compmond::replay {

ReplayPlayer::ReplayPlayer(recording::LogReader reader, pipeline::Options options,
                           std::optional<estimate::Model> sampled)
    : source_(std::move(reader)), options_(std::move(options)), sampled_(std::move(sampled)) {
  options_.start_ns = source_.begin_ns();
}

ReplayPlayer::~ReplayPlayer() { source_.pause(); }

// Has a pipeline that stands at the beginning, or where it is.
void ReplayPlayer::begin() {
  if (data_.began()) return;
  if (sampled_)
    samples_ = std::make_unique<estimate::SampleStore>(
        *sampled_, estimate::SampleStore::options_of(options_.history_bytes));
  slices_ = {};
  source_.rewind(samples_.get());
  data_.begin(source_, options_);
}

void ReplayPlayer::settle() {
  while (!source_.wait(1)) {
  }
}

void ReplayPlayer::play(double speed) {
  begin();
  source_.play(speed);
}

void ReplayPlayer::start_step(uint64_t events) {
  begin();
  source_.step(events);
}

void ReplayPlayer::step(uint64_t events) {
  start_step(events);
  settle();
}

void ReplayPlayer::start_seek(uint64_t time_ns) {
  source_.pause();
  picture_.reset();
  data_.forget_rate();  // it does not reach over a jump
  if (time_ns < source_.position().time_ns) {
    data_.drop();
    ::malloc_trim(0);  // the second pass has the room of the first
  }
  begin();
  source_.run_to(time_ns);
}

void ReplayPlayer::seek(uint64_t time_ns) {
  start_seek(time_ns);
  settle();
}

const ReplayPlayer::Picture& ReplayPlayer::look(uint64_t age_ns) {
  begin();
  const ReplaySource::Position position = source_.position();
  if (picture_ && position == picture_->position) return *picture_;
  const auto newest = data_.read(picture_ && position.moving ? age_ns : 0);
  slices_.add(source_.take_slices());
  if (!picture_ || newest != picture_->checkpoint) picture_ = {newest, position};
  return *picture_;
}

void ReplayPlayer::publish_due(uint64_t now_ns) {
  const ReplaySource::Position position = source_.position();
  slices_.add(source_.take_slices());
  if (auto newest = data_.publish_due(now_ns)) picture_ = {std::move(newest), position};
}

}  // namespace compmond::replay
