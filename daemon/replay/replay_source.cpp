// SPDX-License-Identifier: Apache-2.0
#include "replay/replay_source.h"

#include <algorithm>
#include <chrono>

#include "base/clock.h"

namespace compmond::replay {

using record::Event;
using record::EventKind;

namespace {

// A sample costs about as much as so many events; nobody waits longer for those.
constexpr size_t kSampleEvents = 16;

}  // namespace

ReplaySource::ReplaySource(recording::LogReader reader) : reader_(std::move(reader)) {
  position_.time_ns = reader_.begin_ns();
}

void ReplaySource::rewind(sampling::SampleSink* samples) {
  const std::lock_guard lock(mutex_);
  reader_.rewind();
  samples_ = SampleFeed(samples);
  slices_ = {};
  chunk_.clear();
  delivery_ = event_ = 0;
  delivered_ = lost_ = 0;
  mode_ = Mode::kStill;
  position_ = {reader_.begin_ns(), 0, false, false, position_.speed};
}

void ReplaySource::move(Mode mode) {
  mode_ = position_.at_end ? Mode::kStill : mode;
  position_.moving = mode_ != Mode::kStill;
  anchor_clock_ns_ = monotonic_ns();
  anchor_ns_ = position_.time_ns;
  if (!position_.moving) still_.notify_all();
}

void ReplaySource::play(double speed) {
  const std::lock_guard lock(mutex_);
  position_.time_ns = std::max(position_.time_ns, clock_ns());
  position_.speed = speed;
  move(speed > 0 ? Mode::kPlay : Mode::kFast);
}

void ReplaySource::pause() {
  const std::lock_guard lock(mutex_);
  move(Mode::kStill);
}

void ReplaySource::end_at(uint64_t time_ns) {
  const std::lock_guard lock(mutex_);
  bound_ns_ = time_ns;
}

void ReplaySource::step(uint64_t events) {
  const std::lock_guard lock(mutex_);
  steps_ = events;
  move(Mode::kStep);
}

void ReplaySource::run_to(uint64_t time_ns) {
  const std::lock_guard lock(mutex_);
  run_to_ns_ = time_ns;
  move(Mode::kRunTo);
}

bool ReplaySource::wait(double seconds) {
  std::unique_lock lock(mutex_);
  return still_.wait_for(lock, std::chrono::duration<double>(seconds),
                         [this] { return !position_.moving; });
}

ReplaySource::Position ReplaySource::position() const {
  const std::lock_guard lock(mutex_);
  return position_;
}

recording::State ReplaySource::state() const {
  const std::lock_guard lock(mutex_);
  recording::State out = position_.at_end ? reader_.last_state() : reader_.state();
  const uint64_t before = reader_.cpu_used_ns(reader_.begin_ns());
  const uint64_t used = position_.at_end ? out.cpu_used_ns : reader_.cpu_used_ns(position_.time_ns);
  out.cpu_used_ns = used - std::min(used, before);
  return out;
}

uint64_t ReplaySource::cpu_used_ns(Window time) const {
  const std::lock_guard lock(mutex_);
  const uint64_t before = reader_.cpu_used_ns(time.start_ns);
  return std::max(before, reader_.cpu_used_ns(time.end_ns)) - before;
}

std::vector<recording::SliceBlock::Step> ReplaySource::take_slices() {
  const std::lock_guard lock(mutex_);
  return slices_.take_delivered();
}

std::vector<recording::Damage> ReplaySource::damage() const {
  const std::lock_guard lock(mutex_);
  return reader_.damage();
}

// The log's clock while it plays.
uint64_t ReplaySource::clock_ns() const {
  if (mode_ != Mode::kPlay) return position_.time_ns;
  const double passed = double(monotonic_ns() - anchor_clock_ns_) * position_.speed;
  const uint64_t last = std::min(reader_.end_ns(), bound_ns_);
  const uint64_t left = last - std::min(last, anchor_ns_);
  return anchor_ns_ + (passed < double(left) ? uint64_t(passed) : left);
}

// Makes the next delivery the one at delivery_; false where there is none: at the end of the log,
// or where so many samples or slices wait that they are the next. These stand behind events of
// their time.
bool ReplaySource::load() {
  while (delivery_ >= chunk_.deliveries.size()) {
    delivery_ = event_ = 0;
    if (samples_.full() || slices_.full() || !reader_.next(chunk_)) return false;
    if (chunk_.samples) samples_.take(std::move(*chunk_.samples));
    if (chunk_.slices) slices_.take(std::move(*chunk_.slices));
  }
  return true;
}

void ReplaySource::count(std::span<const Event> events) {
  for (const Event& event : events) {
    if (event.kind == EventKind::kLoss)
      lost_ += event.arg;
    else if (event.kind != EventKind::kGone)  // nobody recorded it
      ++delivered_;
  }
  position_.events += events.size();
  // Times of other threads may be a little older.
  position_.time_ns = std::max(position_.time_ns, events.back().time_ns);
}

// Up to `most` events of the delivery at hand, none after `until_ns`; 0 with it still at hand: it
// is not its turn.
size_t ReplaySource::deliver(record::EventSink& sink, uint64_t until_ns, size_t most) {
  const recording::DecodedChunk::Delivery& at = chunk_.deliveries[delivery_];
  if (at.announces >= 0) sink.on_thread(at.thread, chunk_.threads[size_t(at.announces)]);
  const auto events =
      std::span<const Event>(chunk_.events).subspan(at.first, at.count).subspan(event_);
  size_t n = 0;
  while (n < events.size() && n < most && events[n].time_ns <= until_ns) ++n;
  if (n > 0) {
    sink.on_events(at.thread, events.first(n));
    count(events.first(n));
  }
  event_ += n;
  if (event_ == at.count) {
    ++delivery_;
    event_ = 0;
  }
  return n;
}

// The last ones were told after the end of the run. They are steps where there are no events.
size_t ReplaySource::deliver_samples(uint64_t until_ns, size_t most) {
  const uint64_t end = reader_.end_ns();
  const bool steps = mode_ == Mode::kStep && reader_.events() == 0;
  const size_t n = samples_.deliver(until_ns >= end ? UINT64_MAX : until_ns,
                                    steps ? std::min<uint64_t>(most, steps_) : most);
  if (n > 0) position_.time_ns = std::max(position_.time_ns, std::min(samples_.latest_ns(), end));
  if (steps) steps_ -= n;
  return n;
}

// Likewise.
size_t ReplaySource::deliver_slices(uint64_t until_ns) {
  const uint64_t end = reader_.end_ns();
  const size_t n = slices_.deliver(until_ns >= end ? UINT64_MAX : until_ns);
  if (n > 0) position_.time_ns = std::max(position_.time_ns, std::min(slices_.latest_ns(), end));
  return n;
}

// Everything was handed over: the clock runs on to the end of the run.
void ReplaySource::arrive() {
  const uint64_t end = reader_.end_ns();
  const uint64_t now = mode_ == Mode::kPlay    ? clock_ns()
                       : mode_ == Mode::kRunTo ? std::min(run_to_ns_, end)
                                               : end;
  position_.at_end = std::min(now, bound_ns_) >= end;
  stand_at(std::min(now, bound_ns_));
  if (position_.at_end) move(Mode::kStill);
}

// The rest is later.
void ReplaySource::stand_at(uint64_t time_ns) {
  position_.time_ns = std::max(position_.time_ns, time_ns);
  if (mode_ == Mode::kRunTo || time_ns >= bound_ns_) move(Mode::kStill);
}

size_t ReplaySource::drain(record::EventSink& sink) {
  const std::lock_guard lock(mutex_);
  if (mode_ == Mode::kStill) return 0;
  const uint64_t wanted = mode_ == Mode::kPlay    ? clock_ns()
                          : mode_ == Mode::kRunTo ? run_to_ns_
                                                  : UINT64_MAX;
  const uint64_t until = std::min(wanted, bound_ns_);
  size_t done = 0;
  while (done < kDrainEvents) {
    if (mode_ == Mode::kStep && steps_ == 0) {
      move(Mode::kStill);
      return done;
    }
    const bool loaded = load();
    if (const size_t n = deliver_samples(until, (kDrainEvents - done) / kSampleEvents + 1)) {
      done += n * kSampleEvents;
      continue;
    }
    if (const size_t n = deliver_slices(until)) {
      done += n * kSampleEvents;
      continue;
    }
    if (!loaded) {
      if (samples_.done() && slices_.done())
        arrive();
      else
        stand_at(until);
      return done;
    }
    const size_t before = delivery_;
    const size_t most = mode_ == Mode::kStep ? size_t(steps_) : kDrainEvents;
    const size_t n = deliver(sink, until, most);
    done += n;
    if (mode_ == Mode::kStep) steps_ -= n;
    if (n == 0 && delivery_ == before) {
      stand_at(until);
      return done;
    }
  }
  return done;
}

uint64_t ReplaySource::now_ns() const {
  const std::lock_guard lock(mutex_);
  return position_.time_ns;
}

record::Ledger ReplaySource::ledger() const {
  const std::lock_guard lock(mutex_);
  uint64_t missing = 0;
  for (const recording::Damage& damage : reader_.damage()) missing += damage.events;
  record::Ledger out;
  const bool whole_run =
      reader_.last_state().ended && reader_.begin_ns() == reader_.header().start_ns;
  if (position_.at_end && whole_run) {
    out = reader_.last_state().capture;
    out.lost_log = std::min(missing, out.delivered);
    out.delivered -= out.lost_log;
    return out;
  }
  out.delivered = delivered_;
  out.lost_ring = lost_;
  out.lost_log = missing;
  out.hits = out.delivered + out.lost();
  return out;
}

}  // namespace compmond::replay
