// SPDX-License-Identifier: Apache-2.0
#include "connection/peer.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace compmond {
namespace {

constexpr size_t kLineBytes = 256u
                              << 20;  // no answer comes near; a stranger's stream might not end

}  // namespace

Result<snapshot::Hello> Peer::greet(const std::string& token, const Fd& interrupted) {
  if (!token.empty())
    if (auto sent = send(snapshot::to_line(snapshot::TokenRequest{0, token})); !sent)
      return Unexpected(sent.error());
  auto line = read_line(kGreetingMs, interrupted);
  if (!line) return Unexpected(std::move(line.error()));
  if (!*line)
    return fail(Exit::kData, fmt::format("{} does not answer", who_),
                "there was no greeting within 5 s", "Is it compmond that listens there?");
  auto answer = snapshot::answer_from_line(**line);
  if (!answer) return Unexpected(std::move(answer.error()));
  if (answer->refusal)
    return fail(Exit::kNoPermission, fmt::format("{} refuses", who_), answer->refusal->error);
  if (!answer->hello)
    return fail(Exit::kData, fmt::format("{} does not greet", who_),
                "its first line is something else", "Both ends must be of the same version.");
  return std::move(*answer->hello);
}

Result<void> Peer::send(std::string line) {
  line += '\n';
  std::string_view data = line;
  while (!data.empty()) {
    const ssize_t sent = ::send(socket_.get(), data.data(), data.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      data.remove_prefix(size_t(sent));
    } else if (errno == EAGAIN) {
      pollfd poll{socket_.get(), POLLOUT, 0};
      if (::poll(&poll, 1, kGreetingMs) == 0)
        return fail(Exit::kNoInput, "the connection is stuck", "the daemon takes no request");
    } else if (errno != EINTR) {
      return fail_errno(Exit::kNoInput, "the connection broke", errno);
    }
  }
  return {};
}

Result<std::optional<std::string>> Peer::read_line(int timeout_ms, const Fd& interrupted) {
  for (;;) {
    const size_t end = received_.find('\n', scanned_);
    if (end != std::string::npos) {
      std::string line = received_.substr(0, end);
      received_.erase(0, end + 1);
      scanned_ = 0;
      return line;
    }
    scanned_ = received_.size();
    if (received_.size() > kLineBytes)
      return fail(Exit::kData, "the connection was given up", "its lines do not end");
    pollfd polls[2] = {{socket_.get(), POLLIN, 0}, {interrupted.get(), POLLIN, 0}};
    const int ready = ::poll(polls, 2, timeout_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0 || polls[1].revents != 0) return std::optional<std::string>();
    const size_t before = received_.size();
    received_.resize(before + (256u << 10));
    const ssize_t got =
        ::recv(socket_.get(), received_.data() + before, received_.size() - before, 0);
    received_.resize(before + size_t(std::max<ssize_t>(0, got)));
    if (got == 0)
      return fail(Exit::kNoInput, "the connection ended", "compmond has ended or hung up");
    if (got < 0 && errno != EAGAIN && errno != EINTR)
      return fail_errno(Exit::kNoInput, "the connection broke", errno);
  }
}

}  // namespace compmond
