// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "base/window.h"
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

// What all patched processes tell, each checked. What happened while it did not record is thrown
// away; what happened before comes, however late it is read.
class Source final : public record::EventSource {
 public:
  // `sites`: of the numbers from 1 on, the same in all processes.
  // `forks`: what processes forked is told of, too.
  Source(std::vector<SiteEvent> sites, uint32_t operations, bool forks);
  ~Source() override;
  void add(SharedMemory memory, const SharedLayout& layout);  // any thread
  // Whose threads are told of, where forks of those are not. Any thread.
  void know(pid_t pid);
  void record(engine::Recording recording);  // any thread

  size_t drain(record::EventSink& sink) override;
  bool hurries() const override { return hurries_; }
  record::Ledger ledger() const override;
  uint64_t now_ns() const override { return now_ns_; }
  std::vector<std::string> notes() const;  // any thread

 private:
  struct One;
  bool recorded(uint64_t from_ns, uint64_t to_ns) const;  // all the time
  class Gate;
  const std::vector<SiteEvent> sites_;
  const uint32_t operations_;
  const bool forks_;
  mutable std::mutex mutex_;  // of `all_`, but for what only the drain does
  std::vector<std::unique_ptr<One>> all_;
  std::set<pid_t> known_;
  record::ThreadId threads_ = 0;
  uint64_t now_ns_;
  record::Ledger ledger_;
  bool hurries_ = false;
  std::vector<Window> on_;  // when it recorded, the newest few; the last may be open
};

}  // namespace compmond::inprocess
