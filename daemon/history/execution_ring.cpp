// SPDX-License-Identifier: Apache-2.0
#include "history/execution_ring.h"

#include <algorithm>

#include "base/limits.h"

namespace compmond::history {
namespace {

using trace::Closed;
using trace::Execution;
using trace::kNoOperation;

constexpr uint32_t kOpBits = 20;
constexpr uint64_t kOpMask = (1u << kOpBits) - 1;  // as caller: none
static_assert(limits::kOperationsMany < kOpMask);
constexpr uint8_t kWide = 16;  // beside ExecutionFlags: a second slot follows
constexpr size_t kBatch =
    64;  // executions copied between two looks at whether the chunk still stands

bool wide(const Execution& e) { return ((e.end_ns - e.start_ns) | e.nested_ns) > UINT32_MAX; }

uint64_t pack_names(const Execution& e, uint8_t flags) {
  const uint64_t caller = e.caller == kNoOperation ? kOpMask : e.caller;
  return e.op | caller << kOpBits | uint64_t(e.ess) << (2 * kOpBits) | uint64_t(e.reason) << 56 |
         uint64_t(flags) << 59;
}

}  // namespace

ExecutionRing::ExecutionRing(size_t budget_bytes)
    : ring_size_(std::max<size_t>(2, budget_bytes / sizeof(Chunk))) {
  ring_ = std::make_unique<std::atomic<Chunk*>[]>(ring_size_);
}

// The ring's next place; what it held is dropped. Data words are stored with release and loaded
// with acquire, so a reader that has seen any of the new ones also sees that the number has
// changed.
ExecutionRing::Chunk& ExecutionRing::start_chunk() {
  const uint64_t number = newest_.load(std::memory_order_relaxed) + 1;
  auto& place = ring_[number % ring_size_];
  Chunk* chunk = place.load(std::memory_order_relaxed);
  if (!chunk) {
    chunk = owned_.emplace_back(std::make_unique<Chunk>()).get();
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
  chunk->min_start.store(UINT64_MAX, std::memory_order_release);
  chunk->max_end.store(0, std::memory_order_release);
  chunk->number.store(number, std::memory_order_release);
  place.store(chunk, std::memory_order_release);
  newest_.store(number, std::memory_order_release);
  return *chunk;
}

void ExecutionRing::push(const Execution& e) {
  const bool two = wide(e);
  uint64_t at = writing_ ? writing_->slots.load(std::memory_order_relaxed) : kSlots;
  if (at + (two ? 2 : 1) > kSlots) {
    writing_ = &start_chunk();
    at = 0;
  }
  Chunk& chunk = *writing_;
  Word* word = &chunk.words[at * kWords];
  const auto put = [](Word& to, uint64_t value) { to.store(value, std::memory_order_release); };
  const uint64_t raw = e.end_ns - e.start_ns;
  put(word[0], e.start_ns);
  put(word[1], two ? 0 : raw | e.nested_ns << 32);
  put(word[2], pack_names(e, uint8_t(e.flags | (two ? kWide : 0))));
  put(word[3], e.trace_id);
  put(word[4], uint64_t(e.eoi) | uint64_t(e.thread) << 32);
  if (two) {
    put(word[5], raw);
    put(word[6], e.nested_ns);
  }
  if (e.start_ns < chunk.min_start.load(std::memory_order_relaxed))
    put(chunk.min_start, e.start_ns);
  if (e.end_ns > chunk.max_end.load(std::memory_order_relaxed)) put(chunk.max_end, e.end_ns);
  put(chunk.slots, at + (two ? 2 : 1));
  put(total_, total_.load(std::memory_order_relaxed) + 1);
}

// Reads one chunk, batch by batch.
struct ExecutionRing::Reader {
  const Chunk& chunk;
  uint64_t number;
  uint64_t slot = 0, slots = 0;

  static uint64_t get(const Word& word) { return word.load(std::memory_order_acquire); }
  bool stands() const { return chunk.number.load(std::memory_order_acquire) == number; }

  Execution next() {
    const Word* word = &chunk.words[slot * kWords];
    const uint64_t times = get(word[1]), names = get(word[2]), last = get(word[4]);
    Execution e;
    e.start_ns = get(word[0]);
    uint64_t raw = times & UINT32_MAX;
    e.nested_ns = times >> 32;
    e.trace_id = get(word[3]);
    e.op = uint32_t(names & kOpMask);
    const auto caller = uint32_t(names >> kOpBits & kOpMask);
    e.caller = caller == kOpMask ? kNoOperation : caller;
    e.ess = uint16_t(names >> (2 * kOpBits));
    e.reason = Closed(names >> 56 & 7);
    const auto flags = uint8_t(names >> 59);
    e.flags = flags & uint8_t(~kWide);
    e.eoi = uint32_t(last);
    e.thread = uint32_t(last >> 32);
    if ((flags & kWide) && slot + 1 < slots) {
      raw = get(word[5]);
      e.nested_ns = get(word[6]);
      ++slot;
    }
    e.end_ns = e.start_ns + raw;
    ++slot;
    return e;
  }
};

ExecutionRing::Counts ExecutionRing::scan(uint64_t first, uint64_t end, uint64_t from_ns,
                                          uint64_t to_ns, Visit visit, void* context) const {
  Counts counts;
  end = std::min(end, this->end());
  const uint64_t newest = newest_.load(std::memory_order_acquire);
  const uint64_t oldest = newest >= ring_size_ ? newest - ring_size_ + 1 : 1;
  uint64_t next = first;  // the running number that comes next; a jump is an eviction
  std::array<Execution, kBatch> batch;
  for (uint64_t number = oldest; number <= newest && next < end; ++number) {
    const Chunk& chunk = *ring_[number % ring_size_].load(std::memory_order_acquire);
    Reader reader{chunk, number};
    uint64_t at = chunk.first.load(std::memory_order_acquire);
    reader.slots = chunk.slots.load(std::memory_order_acquire);
    const uint64_t min_start = chunk.min_start.load(std::memory_order_acquire);
    const uint64_t max_end = chunk.max_end.load(std::memory_order_acquire);
    if (!reader.stands()) continue;
    if (at > next) {
      const uint64_t to = std::min(at, end);
      counts.evicted += to - next;
      next = to;
    }
    const bool full = number < newest;
    if (full && (min_start >= to_ns || max_end < from_ns)) {
      // Where it ends is where the following one begins.
      const Chunk& following = *ring_[(number + 1) % ring_size_].load(std::memory_order_acquire);
      const uint64_t until = following.first.load(std::memory_order_acquire);
      if (following.number.load(std::memory_order_acquire) == number + 1)
        next = std::max(next, std::min(until, end));
      continue;
    }
    while (reader.slot < reader.slots && at < end) {
      size_t n = 0;
      uint64_t passed = at;
      while (n < kBatch && reader.slot < reader.slots && passed < end) {
        batch[n] = reader.next();
        n += passed >= next;
        ++passed;
      }
      if (!reader.stands()) break;
      at = passed;
      next = std::max(next, at);
      counts.visited += n;
      if (n) visit(context, {batch.data(), n});
    }
  }
  if (next < end) counts.evicted += end - next;
  return counts;
}

}  // namespace compmond::history
