// SPDX-License-Identifier: Apache-2.0
#include "serve/connection.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "core/limits.h"

namespace compmond::serve {
namespace {

constexpr size_t kReadBytes = 16 << 10;
// After hanging up: what the client still says is read, for so much and so long, since closing
// before would take away from it what it was told.
constexpr size_t kDiscardBytes = 1u << 20;
constexpr uint64_t kDiscardNs = 1'000'000'000;

}  // namespace

Connection::Connection(Fd socket, Rights rights, uint64_t now_ns)
    : socket_(std::move(socket)), rights_(rights), since_ns_(now_ns) {}

uint32_t Connection::interest() const {
  const bool listens = shut_ || (!closing_ && output_.empty() && line_end_ == kNone);
  return (listens && !ended_ ? uint32_t(EPOLLIN) : 0) | (waiting() > 0 ? uint32_t(EPOLLOUT) : 0);
}

void Connection::find_line() {
  const size_t at = input_.find('\n');
  line_end_ = at == std::string::npos ? kNone : at;
}

void Connection::receive() {
  char buffer[kReadBytes];
  const ssize_t n = ::recv(socket_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
  if (n < 0) {
    if (errno != EAGAIN && errno != EINTR) drop();
    return;
  }
  if (n == 0) {
    ended_ = true;
    return;
  }
  if (closing_) {
    discarded_ += size_t(n);
    if (discarded_ > kDiscardBytes) drop();
    return;
  }
  const size_t before = input_.size();
  input_.append(buffer, size_t(n));
  if (line_end_ == kNone) {
    const size_t at = input_.find('\n', before);
    if (at != std::string::npos) line_end_ = at;
  }
}

bool Connection::too_long() const {
  const size_t most = rights_ == Rights::kToken ? limits::kTokenLineBytes : limits::kRequestBytes;
  return (line_end_ == kNone ? input_.size() : line_end_) > most;
}

std::optional<std::string> Connection::next_line() {
  if (!has_line()) return std::nullopt;
  std::string line = input_.substr(0, line_end_);
  input_.erase(0, line_end_ + 1);
  find_line();
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return line;
}

void Connection::send(std::string_view line, uint64_t now_ns) {
  if (gone_ || closing_) return;
  if (output_.empty()) since_ns_ = now_ns;
  output_.append(line).push_back('\n');
  flush(now_ns);
}

void Connection::flush(uint64_t now_ns) {
  while (waiting() > 0) {
    const ssize_t n =
        ::send(socket_.get(), output_.data() + sent_, waiting(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      if (errno != EAGAIN) drop();
      return;
    }
    sent_ += size_t(n);
    since_ns_ = now_ns;
  }
  sent_ = 0;
  std::string().swap(output_);  // a large answer's memory goes back
  if (closing_ && !shut_) {
    shut_ = true;
    since_ns_ = now_ns;
    if (::shutdown(socket_.get(), SHUT_WR) != 0) drop();
  }
}

void Connection::close_soon(uint64_t now_ns) {
  if (closing_) return;
  closing_ = true;
  std::string().swap(input_);
  line_end_ = kNone;
  flush(now_ns);
}

uint64_t Connection::deadline_ns(uint64_t stuck_ns) const {
  if (shut_) return since_ns_ + kDiscardNs;
  if (waiting() > 0) return since_ns_ + stuck_ns;
  if (rights_ == Rights::kToken) return since_ns_ + limits::kTokenNs;
  return UINT64_MAX;
}

}  // namespace compmond::serve
