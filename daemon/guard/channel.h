// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/fd.h"
#include "base/result.h"

// A child process, and messages between it and its parent over a stream socket.
namespace compmond::guard {

// Move-only. Its destructor closes the channel, which ends a child that serves, and waits for it:
// for some seconds, then it is killed.
class Child {
 public:
  Child(pid_t pid, Fd channel) : pid_(pid), channel_(std::move(channel)) {}
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  ~Child();

  const Fd& channel() const { return channel_; }
  // Ends it; returns its wait status. Once.
  int kill();

 private:
  pid_t pid_ = 0;  // 0: waited for
  Fd channel_;
};
// A copy of this process in which `work` runs, which does not return, with its end of the channel.
// Before any thread. `what` cannot be done where there is none: Exit::kUnavailable.
Result<Child> start_child(const std::string& what, const std::function<void(const Fd&)>& work);

enum class Message : uint32_t {
  kStep,    // child: at this step (4 bytes)
  kOpen,    // child: 4 bytes, then a path; the parent answers with send_file
  kResult,  // child: the work's result, the last message
  kFailed,  // child: why there is no result, for people; the last message
};

struct Header {
  Message kind = Message::kStep;
  uint32_t size = 0;
};

// All of them false when the other side is gone, or when it has not taken or given all of it at
// `end_ns` (CLOCK_MONOTONIC), however it plays for time: that bounds what waits for one that may be
// hostile. kEndless is for those that are not.
constexpr uint64_t kEndless = UINT64_MAX;
bool send_bytes(const Fd& socket, std::string_view bytes, uint64_t end_ns = kEndless);
bool receive_bytes(const Fd& socket, void* to, size_t size);  // exactly so many; no file with them
bool send(const Fd& socket, Message kind, std::string_view payload);
// A file, or that there is none; empty where none comes.
bool send_file(const Fd& socket, const Fd& file, uint64_t end_ns = kEndless);
Fd receive_file(const Fd& socket, uint64_t end_ns = kEndless);
// The payload of the next message, of whatever kind; for a side that is trusted.
bool receive(const Fd& socket, std::string& payload, uint64_t end_ns = kEndless);
// Up to `size` bytes, appended, once some are there.
bool receive_some_until(const Fd& socket, std::string& buffer, size_t size, uint64_t end_ns);

// Whether something was done, or the error, as a payload; and back.
std::string packed(const Result<void>& done);
Result<void> unpacked(const std::string& payload);

// Up to `size` bytes, appended, once some are there; false at the end or after `timeout_ms`, or
// once `stop`, where it is valid, is readable.
bool receive_some(const Fd& socket, std::string& buffer, size_t size, int timeout_ms,
                  const Fd& stop = Fd());

}  // namespace compmond::guard
