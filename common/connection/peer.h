// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"
#include "protocol/protocol.h"

namespace compmond {

// The daemon at the other end of a connection: lines there and back. One thread.
class Peer {
 public:
  static constexpr int kGreetingMs = 5000;

  Peer() = default;  // nobody
  // `socket` is connected and non-blocking; `who`: for messages.
  Peer(Fd socket, std::string who) : socket_(std::move(socket)), who_(std::move(who)) {}

  bool connected() const { return socket_.valid(); }
  // Shows the token, where it is not empty, and takes the greeting. Exit::kNoInput where the
  // connection ends, kData where somebody else answers, kNoPermission where the daemon refuses.
  Result<snapshot::Hello> greet(const std::string& token, const Fd& interrupted = Fd());
  // Without its newline. Exit::kNoInput where it does not arrive.
  Result<void> send(std::string line);
  // The next line, without its newline. None: the time is over, or `interrupted` became readable.
  // `timeout_ms` -1: as long as it takes.
  Result<std::optional<std::string>> read_line(int timeout_ms, const Fd& interrupted = Fd());

 private:
  Fd socket_;
  std::string who_;
  std::string received_;  // beyond the last whole line
  size_t scanned_ = 0;    // of received_, without a newline
};

}  // namespace compmond
