// SPDX-License-Identifier: Apache-2.0
#include "history/execution_ring.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "core/limits.h"

namespace compmond::history {
namespace {

using trace::Closed;
using trace::Execution;
using trace::kNoOperation;

constexpr int kStartBits = 39;  // 9 min, half of them before the chunk's first
constexpr uint64_t kStartMask = (uint64_t(1) << kStartBits) - 1;
constexpr uint64_t kStartBias = uint64_t(1) << (kStartBits - 1);
constexpr int kEssShift = kStartBits, kReasonShift = 55, kFlagsShift = 58;
constexpr uint64_t kWide = uint64_t(32) << kFlagsShift;  // beside ExecutionFlags: two slots
constexpr uint64_t kTraceBias = uint64_t(1) << 31;
constexpr int kOpBits = 20;
constexpr uint64_t kOpMask = (1u << kOpBits) - 1;  // as caller: none
static_assert(limits::kOperationsMany < kOpMask);
constexpr int kThreadShift = 2 * kOpBits;  // 16 million threads in one run, then two slots
constexpr size_t kBatch =
    64;  // executions copied between two looks at whether the chunk still stands

// Data words are stored with release and loaded with acquire, so a reader that has seen any word
// of a newer chunk also sees that the number has changed.
void put(uint64_t& word, uint64_t value) {
  std::atomic_ref<uint64_t>(word).store(value, std::memory_order_release);
}
uint64_t get(const uint64_t& word) {
  return std::atomic_ref<uint64_t>(const_cast<uint64_t&>(word)).load(std::memory_order_acquire);
}

// The pages of new memory at once, not one by one as they are written: that takes several times as
// long. Where the kernel does not (before Linux 5.14) it is just that.
void have_pages(void* memory, size_t size) {
  const auto page = uintptr_t(::sysconf(_SC_PAGESIZE)),
             from = (uintptr_t(memory) + page - 1) / page * page;
  const uintptr_t to = (uintptr_t(memory) + size) / page * page;
  if (to > from) ::madvise(reinterpret_cast<void*>(from), to - from, MADV_POPULATE_WRITE);
}

}  // namespace

ExecutionRing::ExecutionRing(size_t budget_bytes)
    : ring_size_(std::max<size_t>(2, budget_bytes / sizeof(Chunk))) {
  ring_ = std::make_unique<std::atomic<Chunk*>[]>(ring_size_);
}

// Tells readers about the chunk as a whole; from now on they may skip it.
void ExecutionRing::seal() {
  writing_->min_start.store(min_start_, std::memory_order_release);
  writing_->min_end.store(min_end_, std::memory_order_release);
  writing_->max_end.store(max_end_, std::memory_order_release);
}

// The ring's next place; what it held is dropped.
void ExecutionRing::start_chunk(const Execution& e) {
  if (writing_) seal();
  const uint64_t number = newest_.load(std::memory_order_relaxed) + 1;
  auto& place = ring_[number % ring_size_];
  Chunk* chunk = place.load(std::memory_order_relaxed);
  if (!chunk) {
    chunk = owned_.emplace_back(std::make_unique_for_overwrite<Chunk>()).get();
    have_pages(chunk, sizeof(Chunk));
    allocated_.store(owned_.size(), std::memory_order_relaxed);
  } else {
    const Chunk& oldest_left = *ring_[(number + 1) % ring_size_].load(std::memory_order_relaxed);
    first_.store(oldest_left.first.load(std::memory_order_relaxed), std::memory_order_release);
    complete_since_.store(std::max(complete_since_.load(std::memory_order_relaxed),
                                   chunk->max_end.load(std::memory_order_relaxed)),
                          std::memory_order_release);
    chunk->number.store(0, std::memory_order_release);
  }
  chunk->slots.store(0, std::memory_order_release);
  chunk->first.store(total_.load(std::memory_order_relaxed), std::memory_order_release);
  chunk->base_start.store(e.start_ns, std::memory_order_release);
  chunk->base_trace.store(e.trace_id, std::memory_order_release);
  chunk->number.store(number, std::memory_order_release);
  place.store(chunk, std::memory_order_release);
  newest_.store(number, std::memory_order_release);
  writing_ = chunk;
  slots_ = 0;
  base_start_ = e.start_ns;
  base_trace_ = e.trace_id;
  min_start_ = min_end_ = UINT64_MAX;
  max_end_ = 0;
}

void ExecutionRing::push(const Execution& e) {
  if (slots_ + 2 > kSlots) start_chunk(e);
  const uint64_t raw = e.end_ns - e.start_ns;
  const uint64_t start = e.start_ns - base_start_ + kStartBias;
  const uint64_t trace = e.trace_id - base_trace_ + kTraceBias;
  const bool wide = ((raw | e.nested_ns | trace) >> 32 | start >> kStartBits |
                     e.thread >> (64 - kThreadShift) | e.unsure_ns | e.stays) != 0;
  const uint64_t names = e.op | (e.caller & kOpMask) << kOpBits;
  const uint64_t rest = uint64_t(e.ess) << kEssShift | uint64_t(e.reason) << kReasonShift |
                        uint64_t(e.flags) << kFlagsShift;
  uint64_t* word = &writing_->words[slots_ * kWords];
  if (wide) {
    put(word[0], rest | kWide | e.thread);
    put(word[1], raw);
    put(word[2], names);
    put(word[3], e.eoi | uint64_t(e.stays) << 32);
    put(word[4], e.start_ns);
    put(word[5], e.nested_ns);
    put(word[6], e.trace_id);
    put(word[7], e.unsure_ns);
  } else {
    put(word[0], rest | start);
    put(word[1], raw | e.nested_ns << 32);
    put(word[2], names | uint64_t(e.thread) << kThreadShift);
    put(word[3], e.eoi | trace << 32);
  }
  min_start_ = std::min(min_start_, e.start_ns);
  min_end_ = std::min(min_end_, e.end_ns);
  max_end_ = std::max(max_end_, e.end_ns);
  slots_ += 1 + wide;
  writing_->slots.store(slots_, std::memory_order_release);
  total_.store(total_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

// Reads one chunk, execution by execution.
struct ExecutionRing::ChunkReader {
  ChunkReader(const Chunk& of, uint64_t chunk_number)
      : chunk(of),
        number(chunk_number),
        slots(of.slots.load(std::memory_order_acquire)),
        start(of.base_start.load(std::memory_order_acquire) - kStartBias),
        trace(of.base_trace.load(std::memory_order_acquire) - kTraceBias) {}

  const Chunk& chunk;
  uint64_t number;
  uint64_t slot = 0, slots;
  uint64_t start, trace;  // what the values in slots are relative to

  bool stands() const { return chunk.number.load(std::memory_order_acquire) == number; }

  Execution next() {
    const uint64_t* word = &chunk.words[slot * kWords];
    const uint64_t first = get(word[0]), times = get(word[1]), names = get(word[2]),
                   last = get(word[3]);
    Execution e;
    e.op = uint32_t(names & kOpMask);
    const auto caller = uint32_t(names >> kOpBits & kOpMask);
    e.caller = caller == kOpMask ? kNoOperation : caller;
    e.eoi = uint32_t(last);
    e.ess = uint16_t(first >> kEssShift);
    e.reason = Closed(first >> kReasonShift & 7);
    e.flags = uint8_t(first >> kFlagsShift) & 31;
    uint64_t raw = times & UINT32_MAX;
    if ((first & kWide) && slot + 1 < slots) {
      raw = times;
      e.thread = uint32_t(first);
      e.start_ns = get(word[4]);
      e.nested_ns = get(word[5]);
      e.trace_id = get(word[6]);
      e.unsure_ns = get(word[7]);
      e.stays = uint32_t(last >> 32);
      ++slot;
    } else {
      e.thread = uint32_t(names >> kThreadShift);
      e.start_ns = start + (first & kStartMask);
      e.nested_ns = times >> 32;
      e.trace_id = trace + (last >> 32);
    }
    e.end_ns = e.start_ns + raw;
    ++slot;
    return e;
  }
};

bool ExecutionRing::describe(uint64_t number, Extent& extent) const {
  if (number == 0 || number >= newest_chunk()) return false;
  const Chunk& chunk = *ring_[number % ring_size_].load(std::memory_order_acquire);
  const Chunk& following = *ring_[(number + 1) % ring_size_].load(std::memory_order_acquire);
  extent.first = chunk.first.load(std::memory_order_acquire);
  extent.end = following.first.load(std::memory_order_acquire);
  extent.min_end_ns = chunk.min_end.load(std::memory_order_acquire);
  extent.min_start_ns = chunk.min_start.load(std::memory_order_acquire);
  extent.max_end_ns = chunk.max_end.load(std::memory_order_acquire);
  return following.number.load(std::memory_order_acquire) == number + 1 &&
         chunk.number.load(std::memory_order_acquire) == number;
}

uint64_t ExecutionRing::scan_chunk(uint64_t number, uint64_t first, uint64_t end, Visit visit,
                                   void* context) const {
  const Chunk& chunk = *ring_[number % ring_size_].load(std::memory_order_acquire);
  ChunkReader reader(chunk, number);
  uint64_t at = chunk.first.load(std::memory_order_acquire);
  if (!reader.stands()) return 0;
  uint64_t visited = 0;
  std::array<Execution, kBatch> batch;
  while (reader.slot < reader.slots && at < end) {
    size_t n = 0;
    for (; n < kBatch && reader.slot < reader.slots && at < end; ++at) {
      batch[n] = reader.next();
      n += at >= first;
    }
    if (!reader.stands()) break;
    visited += n;
    if (n) visit(context, {batch.data(), n});
  }
  return visited;
}

ExecutionRing::Counts ExecutionRing::scan(uint64_t first, uint64_t end, uint64_t from_ns,
                                          uint64_t to_ns, Visit visit, void* context) const {
  Counts counts;
  uint64_t skipped = 0;
  const uint64_t newest = newest_chunk();
  for (uint64_t number = oldest_chunk(); number <= newest; ++number) {
    Extent extent;
    const bool full = describe(number, extent);
    if (full && (extent.overlap(first, end) == 0 || extent.min_start_ns >= to_ns ||
                 extent.max_end_ns < from_ns))
      skipped += extent.overlap(first, end);
    else
      counts.visited += scan_chunk(number, first, end, visit, context);
  }
  const uint64_t there = std::min(end, this->end());
  counts.evicted = there > first ? there - first - counts.visited - skipped : 0;
  return counts;
}

}  // namespace compmond::history
