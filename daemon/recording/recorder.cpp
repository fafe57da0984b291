// SPDX-License-Identifier: Apache-2.0
#include "recording/recorder.h"

#include <algorithm>
#include <chrono>
#include <unordered_set>

#include "base/thread.h"
#include "log_format/codec.h"
#include "record/last.h"

namespace compmond::recording {
namespace {

using record::Event;
using record::EventKind;
using record::ThreadId;

// A chunk is the unit of damage and of compression: 32 Ki events are some 150 KiB in the file.
constexpr size_t kBlockEvents = 32'768;
// A killed recorder loses what is younger.
constexpr auto kFlushInterval = std::chrono::milliseconds(250);
constexpr size_t kSpareBlocks = 8;  // kept after a burst

}  // namespace

Recorder::Recorder(Options options)
    : options_(std::move(options)),
      max_blocks_(std::max<size_t>(2, options_.queue_bytes / (kBlockEvents * sizeof(Event)))),
      flight_(options_.last_ns, limits::kFlightBytes) {}

Result<std::unique_ptr<Recorder>> Recorder::open(Options options) {
  std::unique_ptr<Recorder> out(new Recorder(std::move(options)));
  if (out->options_.last_ns > 0) return out;
  auto file = LogFile::create(out->options_.path, out->options_.limit_bytes);
  if (!file) return Unexpected(std::move(file.error()));
  out->file_.emplace(std::move(*file));
  return out;
}

Result<void> Recorder::start(Header header) {
  header_ = std::move(header);
  if (file_)
    if (auto begun = file_->begin(header_); !begun) error_ = std::move(begun.error());
  auto thread =
      start_thread(fmt::format("cannot write the log '{}'", options_.path), [this] { loop(); });
  if (!thread) return Unexpected(std::move(thread.error()));
  thread_ = std::move(*thread);
  return {};
}

Recorder::~Recorder() { stop(); }

// The block that takes the next events; none when all are waiting for the disk.
Block* Recorder::writable() {
  if (current_) return current_.get();
  if (!spare_.empty()) {
    current_ = std::move(spare_.back());
    spare_.pop_back();
  } else if (blocks_ < max_blocks_) {
    current_ = std::make_unique<Block>();
    current_->events.reserve(kBlockEvents + 64);
    ++blocks_;
  } else {
    return nullptr;
  }
  current_->first_event = status_.events;
  for (auto& [id, info] : unwritten_) current_->threads.push_back({id, std::move(info)});
  unwritten_.clear();
  current_->ended = std::exchange(ended_, {});
  return current_.get();
}

void Recorder::hand_on() {
  full_.push_back(std::move(current_));
  changed_.notify_all();
}

void Recorder::on_thread(ThreadId thread, const record::ThreadInfo& info) {
  const std::lock_guard lock(mutex_);
  Block* block = writable();
  if (!block) {
    unwritten_[thread] = info;
    return;
  }
  block->threads.push_back({thread, info});
  block->steps.push_back({Block::Call::kThread, thread, 0, 0});
}

void Recorder::on_events(ThreadId thread, std::span<const Event> events) {
  const std::lock_guard lock(mutex_);
  Block* block = writable();
  if (!block) return drop(thread, events);
  status_.events += events.size();
  if (block->steps.empty() || block->steps.back().thread != thread ||
      block->steps.back().call != Block::Call::kEvents)
    block->steps.push_back({Block::Call::kEvents, thread, 0, 0});
  block->steps.back().count += uint32_t(events.size());
  block->events.insert(block->events.end(), events.begin(), events.end());
  if (block->events.size() >= kBlockEvents) hand_on();
}

void Recorder::drop(ThreadId thread, std::span<const Event> events) {
  status_.events += events.size();
  status_.dropped += events.size();
  for (const Event& event : events)
    if (record::is_last(event) && unwritten_.erase(thread) == 0) ended_.push_back(thread);
}

void Recorder::on_packed(const ChunkHead& head, std::string bytes) {
  const std::lock_guard lock(mutex_);
  if (head.type == ChunkType::kSamples) status_.samples += head.events;
  if (packed_bytes_ + bytes.size() > limits::kLogSamplesBytes) return dropped(head);
  packed_bytes_ += bytes.size();
  packed_.push_back({head, std::move(bytes)});
  changed_.notify_all();
}

void Recorder::dropped(const ChunkHead& head) {
  if (head.type == ChunkType::kEvents) status_.dropped += head.events;
  if (head.type == ChunkType::kSamples) status_.dropped_samples += head.events;
  if (head.type == ChunkType::kSlices) status_.dropped_slices = true;
}

void Recorder::update(State state) {
  const std::lock_guard lock(mutex_);
  state_ = std::move(state);
}

void Recorder::flush() {
  std::unique_lock lock(mutex_);
  flushing_ = true;
  changed_.notify_all();
  changed_.wait(lock, [this] { return !flushing_; });
}

Recorder::Status Recorder::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

std::optional<Error> Recorder::take_error() {
  const std::lock_guard lock(mutex_);
  if (!error_ || std::exchange(error_told_, true)) return std::nullopt;
  return error_;
}

void Recorder::fill_in(State& state) const {
  state.events = status_.events;
  state.dropped_events = status_.dropped;
  state.samples = status_.samples;
  state.dropped_samples = status_.dropped_samples;
}

Result<void> Recorder::save(State state) {
  if (!thread_.joinable()) {  // it has finished: everything is ours
    fill_in(state);
    return options_.save_log(flight_.log(header_, state));
  }
  std::future<Result<void>> done;
  {
    const std::lock_guard lock(mutex_);
    saving_.emplace(Saving{std::move(state), {}});
    done = saving_->done.get_future();
    changed_.notify_all();
  }
  return done.get();
}

void Recorder::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void Recorder::finish(State state) {
  update(std::move(state));
  stop();
  if (!file_) return;
  auto finished = file_->finish();
  const std::lock_guard lock(mutex_);
  if (!finished && !error_) error_ = std::move(finished.error());
}

void Recorder::loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait_for(lock, kFlushInterval, [this] {
      return !full_.empty() || !packed_.empty() || flushing_ || saving_ || stopping_;
    });
    if (full_.empty() && current_ && !current_->empty()) hand_on();
    while (!full_.empty()) {
      std::unique_ptr<Block> block = std::move(full_.front());
      full_.pop_front();
      lock.unlock();
      write(*block);
      block->clear();
      lock.lock();
      if (spare_.size() < kSpareBlocks)
        spare_.push_back(std::move(block));
      else
        --blocks_;
    }
    write_packed(lock);
    if (state_) {
      State state = *std::exchange(state_, std::nullopt);
      lock.unlock();
      write(std::move(state));
      lock.lock();
    }
    if (saving_) {
      Saving saving = std::move(*std::exchange(saving_, std::nullopt));
      fill_in(saving.state);
      lock.unlock();
      saving.done.set_value(options_.save_log(flight_.log(header_, saving.state)));
      lock.lock();
    }
    if (full_.empty() && packed_.empty() && (!current_ || current_->empty())) {
      if (std::exchange(flushing_, false)) changed_.notify_all();
      if (stopping_) return;
    }
  }
}

// Gives up the lock meanwhile.
void Recorder::write_packed(std::unique_lock<std::mutex>& lock) {
  while (!packed_.empty()) {
    Packed packed = std::move(packed_.front());
    packed_.pop_front();
    packed_bytes_ -= packed.bytes.size();
    lock.unlock();
    write(packed.head, std::move(packed.bytes));
    lock.lock();
  }
}

void Recorder::write(Block& block) {
  for (Block::Thread& thread : block.threads) threads_[thread.id] = std::move(thread.info);
  for (const ThreadId thread : block.ended) threads_.erase(thread);
  block.threads.clear();
  std::unordered_set<ThreadId> seen;
  for (const Block::Step& step : block.steps)
    if (seen.insert(step.thread).second)
      block.threads.push_back({step.thread, threads_[step.thread]});

  ChunkHead head;
  std::string bytes = encode(block, head);
  bytes = seal(head, bytes);
  size_t next = 0;
  for (const Block::Step& step : block.steps)
    for (uint32_t i = 0; i < step.count; ++i)
      if (record::is_last(block.events[next++])) threads_.erase(step.thread);
  write(head, std::move(bytes));
}

void Recorder::write(State state) {
  {
    const std::lock_guard lock(mutex_);
    fill_in(state);
  }
  if (!file_) return;
  file_->set_state(state);
  ChunkHead head;
  std::string bytes = state_chunk(state, head);
  write(head, std::move(bytes));
}

void Recorder::write(ChunkHead head, std::string bytes) {
  Result<void> written;
  if (file_)
    written = file_->append(head, bytes);
  else
    flight_.append(head, std::move(bytes));
  const std::lock_guard lock(mutex_);
  status_.bytes = file_ ? file_->bytes() : flight_.bytes();
  status_.overflowed = flight_.overflowed();
  if (written) return;
  dropped(head);
  if (!error_) error_ = std::move(written.error());
}

}  // namespace compmond::recording
