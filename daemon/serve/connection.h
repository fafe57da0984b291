// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/fd.h"

namespace compmond::serve {

// One client: what it said and what it has yet to take. Reads a line at a time and no further while
// an answer waits to be taken, so a client never has more than one answer here. Non-blocking.
class Connection {
 public:
  enum class Rights { kToken, kView, kControl };  // kToken: has to show it first

  // Takes a connected stream socket.
  Connection(Fd socket, Rights rights, uint64_t now_ns);

  int fd() const { return socket_.get(); }
  Rights rights() const { return rights_; }
  void allow(Rights rights) { rights_ = rights; }

  // What epoll is to tell: EPOLLIN and EPOLLOUT where they are of use.
  uint32_t interest() const;
  // Takes what is there to be read.
  void receive();
  // A whole line, where there is one and the answer before was taken.
  std::optional<std::string> next_line();
  bool has_line() const { return !closing_ && output_.empty() && line_end_ != kNone; }
  // More than a line may have, and no end of it in sight.
  bool too_long() const;

  void send(std::string_view line, uint64_t now_ns);  // the newline is added here
  void flush(uint64_t now_ns);
  size_t waiting() const { return output_.size() - sent_; }

  // Hangs up as soon as what waits was taken.
  void close_soon(uint64_t now_ns);
  bool closing() const { return closing_; }
  void drop() { gone_ = true; }
  // To be forgotten: hung up, or it says no more and has all it asked for.
  bool gone() const { return gone_ || (ended_ && output_.empty() && line_end_ == kNone); }
  // When it is to be dropped unless something happens before; `stuck_ns`: without taking anything.
  uint64_t deadline_ns(uint64_t stuck_ns) const;

  uint64_t rest_until_ns = 0;  // no further answer before

 private:
  static constexpr size_t kNone = SIZE_MAX;
  void find_line();

  Fd socket_;
  Rights rights_;
  std::string input_, output_;
  size_t sent_ = 0;          // of output_
  size_t line_end_ = kNone;  // of the first line in input_
  size_t discarded_ = 0;     // read after close_soon()
  uint64_t since_ns_;        // connected; later: when it took something last, or was hung up on
  bool ended_ = false;       // it says no more
  bool closing_ = false, shut_ = false, gone_ = false;
};

}  // namespace compmond::serve
