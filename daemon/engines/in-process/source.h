// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "engine/capture.h"
#include "record/checked_source.h"
#include "record/event.h"
#include "rings/ring_reader.h"

namespace compmond::inprocess {

// Memory that a process shares with us.
class SharedMemory {
 public:
  // Exit::kUnavailable.
  static Result<SharedMemory> map(const Fd& file, size_t size);
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&&) = delete;
  ~SharedMemory();
  std::span<std::byte> bytes() const { return bytes_; }

 private:
  explicit SharedMemory(std::span<std::byte> bytes) : bytes_(bytes) {}
  std::span<std::byte> bytes_;
};

// What all patched processes tell, each checked. While it does not record, events are thrown away.
class Source final : public record::EventSource {
 public:
  // `sites`: of the numbers from 1 on, the same in all processes.
  Source(std::vector<SiteEvent> sites, uint32_t operations, const SharedLayout& layout);
  ~Source() override;
  void add(SharedMemory memory);             // any thread
  void record(engine::Recording recording);  // any thread

  size_t drain(record::EventSink& sink) override;
  record::Ledger ledger() const override;
  uint64_t now_ns() const override { return now_ns_; }

 private:
  struct One;
  class Gate;
  const std::vector<SiteEvent> sites_;
  const uint32_t operations_;
  const SharedLayout layout_;
  std::mutex mutex_;  // of `all_`, but for what only the drain does
  std::vector<std::unique_ptr<One>> all_;
  record::ThreadId threads_ = 0;
  uint64_t now_ns_;
  record::Ledger ledger_;
  uint64_t on_since_ns_ = UINT64_MAX;
};

}  // namespace compmond::inprocess
