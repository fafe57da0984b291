// SPDX-License-Identifier: Apache-2.0
#include "history/context_ring.h"

#include <algorithm>
#include <cstring>

namespace compmond::history {
namespace {

constexpr int kKindShift = 32, kTypeShift = 40, kLengthShift = 48;
constexpr size_t kLongest = 255;

}  // namespace

ContextRing::ContextRing(size_t budget_bytes)
    : most_(std::max<size_t>(2, budget_bytes / sizeof(Chunk))) {}

ContextRing::Chunk& ContextRing::with_room(size_t words) {
  if (writing_ && writing_->words.load(std::memory_order_relaxed) + words <= kWords)
    return *writing_;
  auto fresh = std::make_shared<Chunk>();
  writing_ = fresh.get();
  const std::lock_guard lock(mutex_);
  if (chunks_.size() == most_) {
    lost_up_to_.store(std::max(lost_up_to_.load(std::memory_order_relaxed),
                               chunks_.front()->last_trace.load(std::memory_order_relaxed)),
                      std::memory_order_release);
    chunks_.erase(chunks_.begin());
  }
  chunks_.push_back(std::move(fresh));
  chunks_begun_.fetch_add(1, std::memory_order_release);
  return *writing_;
}

void ContextRing::add(uint64_t trace_id, uint32_t eoi, const trace::Context& context) {
  const bool text = context.type == record::ContextType::kString;
  const size_t length = text ? std::min(context.text.size(), kLongest) : 0;
  const size_t values = text ? (length + 7) / 8 : 1;
  Chunk& chunk = with_room(kHead + values);
  const size_t at = chunk.words.load(std::memory_order_relaxed);
  chunk.word[at] = trace_id;
  chunk.word[at + 1] = eoi | uint64_t(context.kind) << kKindShift |
                       uint64_t(context.type) << kTypeShift | uint64_t(length) << kLengthShift;
  if (text)
    std::memcpy(&chunk.word[at + kHead], context.text.data(), length);
  else
    chunk.word[at + kHead] = context.number;
  if (trace_id < chunk.first_trace.load(std::memory_order_relaxed))
    chunk.first_trace.store(trace_id, std::memory_order_relaxed);
  if (trace_id > chunk.last_trace.load(std::memory_order_relaxed))
    chunk.last_trace.store(trace_id, std::memory_order_relaxed);
  chunk.words.store(at + kHead + values, std::memory_order_release);
}

ContextRing::Chunks ContextRing::chunks() const {
  const std::lock_guard lock(mutex_);
  return chunks_;
}

std::vector<ContextRing::Said> ContextRing::of_traces(uint64_t first, uint64_t last) const {
  std::vector<Said> out;
  for (const auto& chunk : chunks()) {
    const size_t end = chunk->words.load(std::memory_order_acquire);
    if (chunk->first_trace.load(std::memory_order_relaxed) > last ||
        chunk->last_trace.load(std::memory_order_relaxed) < first)
      continue;
    for (size_t at = 0; at < end;) {
      const uint64_t rest = chunk->word[at + 1];
      Said said{chunk->word[at], uint32_t(rest), {}};
      said.context.kind = record::ContextKind(rest >> kKindShift & 0xff);
      said.context.type = record::ContextType(rest >> kTypeShift & 0xff);
      const size_t length = rest >> kLengthShift & 0xff;
      at += kHead;
      if (said.context.type == record::ContextType::kString) {
        said.context.text.assign(reinterpret_cast<const char*>(&chunk->word[at]), length);
        at += (length + 7) / 8;
      } else {
        said.context.number = chunk->word[at++];
      }
      if (said.trace_id >= first && said.trace_id <= last) out.push_back(std::move(said));
    }
  }
  return out;
}

size_t ContextRing::memory_bytes() const {
  return std::min(chunks_begun_.load(std::memory_order_relaxed), most_) * sizeof(Chunk);
}

}  // namespace compmond::history
