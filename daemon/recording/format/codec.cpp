// SPDX-License-Identifier: Apache-2.0
#include "log_format/codec.h"

#include <algorithm>
#include <unordered_map>

#include "log_format/bytes.h"
#include "log_format/thread_codec.h"

namespace compmond::recording {
namespace {

using record::Event;
using Call = Block::Call;

void put_thread(std::string& out, const Block::Thread& thread) {
  put_varint(out, thread.id);
  put_varint(out, thread.info.pid);
  put_varint(out, thread.info.tid);
  put_varint(out, thread.info.start_ns);
  put_varint(out, thread.info.name.size());
  out += thread.info.name;
}

Block::Thread take_thread(Unpacker& in) {
  Block::Thread out;
  out.id = uint32_t(in.varint());
  out.info.pid = uint32_t(in.varint());
  out.info.tid = uint32_t(in.varint());
  out.info.start_ns = in.varint();
  const uint64_t size = in.varint();
  out.info.name = in.text(size);
  return out;
}

void find_times(const Block& block, ChunkHead& head) {
  head.min_ns = UINT64_MAX;
  head.max_ns = 0;
  const auto count = [&](uint64_t time_ns) {
    head.min_ns = std::min(head.min_ns, time_ns);
    head.max_ns = std::max(head.max_ns, time_ns);
  };
  for (const Event& event : block.events) count(event.time_ns);
  for (const Block::Step& step : block.steps)
    if (step.call == Call::kInterrupt) count(step.time_ns);
  head.min_ns = std::min(head.min_ns, head.max_ns);
}

}  // namespace

std::string encode(const Block& block, ChunkHead& head) {
  head.type = ChunkType::kEvents;
  head.events = uint32_t(block.events.size());
  head.first_event = block.first_event;
  find_times(block, head);

  std::string out;
  out.reserve(block.events.size() * 8 + 64);
  std::unordered_map<record::ThreadId, size_t> index_of;
  put_varint(out, block.threads.size());
  for (const Block::Thread& thread : block.threads) {
    index_of.emplace(thread.id, index_of.size());
    put_thread(out, thread);
  }
  std::vector<ThreadCodec> codecs(block.threads.size(), ThreadCodec(head.min_ns));
  size_t next = 0;
  for (const Block::Step& step : block.steps) {
    if (step.call == Call::kInterrupt) {
      out.push_back(0);
      put_varint(out, step.time_ns - head.min_ns);
      continue;
    }
    const size_t index = index_of.at(step.thread);
    put_varint(out, index + 1);
    put_varint(out, step.call == Call::kThread ? 0 : step.count);
    for (uint32_t i = 0; i < step.count; ++i) codecs[index].put(out, block.events[next++]);
  }
  return out;
}

std::optional<Block> decode(const ChunkHead& head, std::string_view payload) {
  Unpacker in(payload);
  Block out;
  out.first_event = head.first_event;
  const uint64_t threads = in.varint();
  if (threads > kMaxThreads || threads > in.left()) return std::nullopt;
  out.threads.reserve(threads);
  for (uint64_t i = 0; i < threads && in.ok(); ++i) out.threads.push_back(take_thread(in));
  std::vector<ThreadCodec> codecs(out.threads.size(), ThreadCodec(head.min_ns));
  out.events.reserve(std::min<size_t>(head.events, payload.size()));
  size_t interrupts = 0;
  while (in.ok() && in.left() > 0) {
    const uint64_t place = in.varint();
    if (out.steps.size() > head.events + threads + kMaxInterrupts) return std::nullopt;
    if (place == 0) {
      if (++interrupts > kMaxInterrupts) return std::nullopt;
      out.steps.push_back({Call::kInterrupt, 0, 0, head.min_ns + in.varint()});
      continue;
    }
    const uint64_t count = in.varint();
    if (place > codecs.size() || count > head.events - out.events.size()) return std::nullopt;
    const record::ThreadId thread = out.threads[place - 1].id;
    out.steps.push_back({count == 0 ? Call::kThread : Call::kEvents, thread, uint32_t(count), 0});
    for (uint64_t i = 0; i < count && in.ok(); ++i)
      if (!codecs[place - 1].take(in, out.events.emplace_back())) return std::nullopt;
  }
  if (!in.ok() || out.events.size() != head.events) return std::nullopt;
  return out;
}

}  // namespace compmond::recording
