// SPDX-License-Identifier: Apache-2.0
#include "recording/log_reader.h"

#include <algorithm>
#include <utility>

#include "log_format/codec.h"
#include "log_format/sample_codec.h"
#include "log_format/slice_codec.h"
#include "recording/cpu_used.h"
#include "recording/log_files.h"
#include "recording/log_threads.h"

namespace compmond::recording {

struct LogReader::Impl {
  std::vector<LogPart> parts;  // oldest first
  Header header;
  State state, passed;
  uint64_t end_ns = 0, events = 0, samples = 0;
  MemoryBound bound{SIZE_MAX};

  // Where the pass is.
  size_t part = 0, place = 0;
  uint64_t next_event = 0;                     // running number expected
  uint64_t max_ns = 0;                         // of the times seen
  uint64_t next_sample = 0, stretched_ns = 0;  // likewise, of samples: of their stretches
  uint64_t next_slice = 0;
  Damage bad;  // bytes passed over since the last whole chunk
  std::vector<Damage> damage;
  bool sought = false, samples_sought = false, at_end = false;
  LogThreads threads;

  void start();
  void pass_over(uint64_t from, uint64_t to);
  void miss(uint64_t events, uint64_t to_ns, DecodedChunk& out);
  uint64_t most_samples_until(uint64_t time_ns) const;
  void miss_samples(uint64_t samples, uint64_t to_ns);
  bool take(const ChunkPlace& at, DecodedChunk& out);
  bool take_events(const ChunkHead& head, std::string_view payload, DecodedChunk& out);
  bool take_samples(const ChunkHead& head, std::string_view payload, DecodedChunk& out);
  bool take_slices(const ChunkHead& head, std::string_view payload, DecodedChunk& out);
  void finish(DecodedChunk& out);
  void pass_over_rest(DecodedChunk& out);
};

void LogReader::Impl::start() {
  part = place = 0;
  next_event = header.first_event;
  max_ns = header.begin_ns;
  next_sample = header.first_sample;
  stretched_ns = next_slice = 0;
  passed = header.state;
  bad = {};
  damage.clear();
  threads = {};
  sought = samples_sought = at_end = false;
}

void LogReader::Impl::pass_over(uint64_t from, uint64_t to) {
  if (from >= to) return;
  if (bad.bytes == 0) {
    bad.file = parts[part].path();
    bad.offset = from;
  }
  bad.bytes += to - from;
}

// Events up to the running number next_event + `events` are not there.
void LogReader::Impl::miss(uint64_t missing, uint64_t to_ns, DecodedChunk& out) {
  if (missing == 0 && bad.bytes == 0) return;
  if (bad.bytes == 0) bad.file = parts[std::min(part, parts.size() - 1)].path();
  bad.events = missing;
  bad.from_ns = max_ns;
  bad.to_ns = missing > 0 ? std::max(to_ns, max_ns) : max_ns;
  if (missing > 0) threads.lose(bad.to_ns, out);
  damage.push_back(std::exchange(bad, {}));
}

// Since the last stretch.
uint64_t LogReader::Impl::most_samples_until(uint64_t time_ns) const {
  return most_samples(time_ns - std::min(time_ns, std::max(stretched_ns, header.begin_ns)));
}

void LogReader::Impl::miss_samples(uint64_t missing, uint64_t to_ns) {
  if (missing == 0) return;
  if (bad.bytes == 0) bad.file = parts[std::min(part, parts.size() - 1)].path();
  bad.samples = missing;
  bad.from_ns = std::min(std::max(stretched_ns, header.begin_ns), to_ns);
  bad.to_ns = to_ns;
  damage.push_back(std::exchange(bad, {}));
}

// False when the chunk is of no use.
bool LogReader::Impl::take(const ChunkPlace& at, DecodedChunk& out) {
  const auto payload = parts[part].payload(at);
  if (!payload) return false;
  if (at.head.type == ChunkType::kState)
    if (auto read = state_from_json(*payload, header)) passed = std::move(*read);
  if (at.head.type == ChunkType::kEvents) return take_events(at.head, *payload, out);
  if (at.head.type == ChunkType::kSamples) return take_samples(at.head, *payload, out);
  if (at.head.type == ChunkType::kSlices) return take_slices(at.head, *payload, out);
  return true;
}

bool LogReader::Impl::take_events(const ChunkHead& head, std::string_view payload,
                                  DecodedChunk& out) {
  if (head.first_event < next_event && !sought) return false;  // a second time
  const auto block = decode(head, payload);
  if (!block) return false;
  miss(sought ? 0 : head.first_event - next_event, head.min_ns, out);
  sought = false;
  threads.hand_over(*block, out);
  next_event = head.first_event + head.events;
  max_ns = std::max(max_ns, head.max_ns);
  return true;
}

// What is missing before is counted as lost in a stretch of its own, in which none were taken.
bool LogReader::Impl::take_samples(const ChunkHead& head, std::string_view payload,
                                   DecodedChunk& out) {
  if (head.first_event < next_sample && !samples_sought) return false;  // a second time
  auto block = decode_samples(head, payload);
  if (!block) return false;
  std::vector<SampleBlock::Passed>& stretches = block->stretches;
  const bool later = !stretches.empty();
  const uint64_t start_ns = later ? stretches.front().stretch.start_ns : head.min_ns;
  if (later && start_ns < stretched_ns) return false;  // time does not go back
  const uint64_t missing = samples_sought ? 0 : head.first_event - next_sample;
  if (missing > most_samples_until(head.min_ns)) return false;  // its number is not to be believed
  miss_samples(missing, head.min_ns);
  if (missing > 0 && later && stretched_ns > 0 && start_ns > stretched_ns) {
    SampleBlock::Passed gap;
    gap.stretch.start_ns = stretched_ns;
    gap.stretch.end_ns = start_ns;
    gap.stretch.lost = missing;
    stretches.insert(stretches.begin(), gap);
  } else if (missing > 0 && later) {
    stretches.front().stretch.lost += missing;
  }
  samples_sought = false;
  next_sample = head.first_event + head.events;
  if (later) stretched_ns = stretches.back().stretch.end_ns;
  out.samples = std::move(block);
  return true;
}

// What is missing before shows in the times that it knows nothing of.
bool LogReader::Impl::take_slices(const ChunkHead& head, std::string_view payload,
                                  DecodedChunk& out) {
  if (head.first_event < next_slice) return false;  // a second time
  auto block = decode_slices(head, payload, header.operations.size());
  if (!block) return false;
  next_slice = head.first_event + head.events;
  out.slices = std::move(*block);
  return true;
}

void LogReader::Impl::finish(DecodedChunk& out) {
  at_end = true;
  // What the last state counted and nothing holds is missing at the end.
  const bool counted = state.ended && state.events > next_event;
  const bool samples_counted = state.ended && state.samples > next_sample;
  miss_samples(
      samples_counted ? std::min(state.samples - next_sample, most_samples_until(end_ns)) : 0,
      end_ns);
  miss(counted ? state.events - next_event : 0, end_ns, out);
}

// What the chunks that were not read claim to hold is missing.
void LogReader::Impl::pass_over_rest(DecodedChunk& out) {
  miss(0, max_ns, out);
  uint64_t last_event = next_event, last_sample = next_sample;
  Damage rest;
  rest.file = parts[part].path();
  rest.offset = parts[part].places()[place].offset;
  rest.no_room = bound.bytes();
  for (size_t first = place; part < parts.size(); ++part, first = 0) {
    const auto& places = parts[part].places();
    rest.bytes += parts[part].end() - (first < places.size() ? places[first].offset : 0);
    for (size_t i = first; i < places.size(); ++i) {
      const ChunkHead& head = places[i].head;
      const uint64_t behind = head.first_event + head.events;
      if (head.type == ChunkType::kEvents) last_event = std::max(last_event, behind);
      if (head.type == ChunkType::kSamples) last_sample = std::max(last_sample, behind);
    }
  }
  at_end = true;
  if (!sought) rest.events = last_event - next_event;
  if (!samples_sought)
    rest.samples = std::min(last_sample - next_sample, most_samples_until(end_ns));
  rest.from_ns = std::min(max_ns, end_ns);
  rest.to_ns = end_ns;
  if (rest.events > 0) threads.lose(rest.to_ns, out);
  damage.push_back(std::move(rest));
}

bool LogReader::next(DecodedChunk& out) {
  Impl& in = *impl_;
  out.clear();
  while (in.part < in.parts.size()) {
    const LogPart& part = in.parts[in.part];
    const auto& places = part.places();
    if (in.place == 0) in.pass_over(0, places.front().offset);
    while (in.place < places.size()) {
      if (holds_evidence(places[in.place].head.type) && in.bound.reached()) {
        in.pass_over_rest(out);
        return !out.deliveries.empty();
      }
      const ChunkPlace& at = places[in.place++];
      const uint64_t next = in.place < places.size() ? places[in.place].offset : part.end();
      const bool good = in.take(at, out);
      in.pass_over(good ? at.offset + kHeadBytes + at.head.stored : at.offset, next);
      if (!out.empty()) return true;
    }
    ++in.part;
    in.place = 0;
  }
  if (in.at_end) return false;
  in.finish(out);
  return !out.deliveries.empty();
}

bool LogReader::next(record::EventSink& sink) {
  DecodedChunk chunk;
  if (!next(chunk)) return false;
  chunk.feed(sink);
  return true;
}

void LogReader::rewind() { impl_->start(); }

void LogReader::bound_by(MemoryBound bound) { impl_->bound = bound; }

void LogReader::seek(uint64_t time_ns) {
  Impl& in = *impl_;
  in.start();
  in.sought = in.samples_sought = true;
  for (; in.part < in.parts.size(); ++in.part, in.place = 0) {
    const auto& places = in.parts[in.part].places();
    for (; in.place < places.size(); ++in.place) {
      const ChunkHead& head = places[in.place].head;
      if (holds_evidence(head.type) && head.max_ns >= time_ns) return;
    }
  }
}

Result<LogReader> LogReader::open(const std::string& path, MemoryBound bound) {
  auto files = find_log_files(path);
  if (!files) return Unexpected(std::move(files.error()));
  auto impl = std::make_unique<Impl>();
  impl->bound = bound;
  impl->header = files->back().header;
  impl->header.begin_ns = files->front().header.begin_ns;
  impl->header.first_event = files->front().header.first_event;
  impl->header.first_sample = files->front().header.first_sample;
  std::optional<State> last;
  for (size_t i = files->size(); i-- > 0 && !last;)
    last = find_last_state((*files)[i].part, impl->header);
  impl->state = last.value_or(impl->header.state);
  for (FoundFile& file : *files) impl->parts.push_back(std::move(file.part));
  impl->end_ns = impl->state.as_of_ns;
  for (const LogPart& part : impl->parts) {
    for (const ChunkPlace& place : part.places()) {
      if (!holds_evidence(place.head.type)) continue;
      if (place.head.type == ChunkType::kEvents) impl->events += place.head.events;
      if (place.head.type == ChunkType::kSamples) impl->samples += place.head.events;
      if (!impl->state.ended) impl->end_ns = std::max(impl->end_ns, place.head.max_ns);
    }
  }
  impl->start();
  return LogReader(std::move(impl));
}

LogReader::LogReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LogReader::LogReader(LogReader&&) noexcept = default;
LogReader& LogReader::operator=(LogReader&&) noexcept = default;
LogReader::~LogReader() = default;

const Header& LogReader::header() const { return impl_->header; }
const State& LogReader::state() const { return impl_->passed; }
const State& LogReader::last_state() const { return impl_->state; }
uint64_t LogReader::cpu_used_ns(uint64_t time_ns) const {
  return recording::cpu_used_ns(impl_->parts, impl_->header, time_ns);
}

uint64_t LogReader::begin_ns() const { return impl_->header.begin_ns; }
uint64_t LogReader::end_ns() const { return impl_->end_ns; }
uint64_t LogReader::events() const { return impl_->events; }
uint64_t LogReader::samples() const { return impl_->samples; }
const std::vector<Damage>& LogReader::damage() const { return impl_->damage; }

}  // namespace compmond::recording
