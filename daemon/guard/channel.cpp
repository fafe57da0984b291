// SPDX-License-Identifier: Apache-2.0
#include "guard/channel.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/process_status.h"

namespace compmond::guard {
namespace {

constexpr size_t kPiece = 64u << 10;  // bytes taken from the socket at once

}  // namespace

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), channel_(std::move(other.channel_)) {}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(channel_, other.channel_);
  return *this;
}

Child::~Child() {
  if (pid_ == 0) return;
  channel_.reset();
  wait_for(pid_);
}

int Child::kill() {
  ::kill(pid_, SIGKILL);  // changes nothing for one that has ended
  return wait_for(std::exchange(pid_, 0));
}

Result<Child> start_child(const std::string& what, const std::function<void(const Fd&)>& work) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return fail_errno(Exit::kUnavailable, what, errno);
  Fd own(ends[0]), childs(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) return fail_errno(Exit::kUnavailable, what, errno);
  if (pid == 0) {
    work(childs);
    ::_exit(1);
  }
  return Child{pid, std::move(own)};
}

bool send_bytes(const Fd& socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent =
        ::sendto(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL, nullptr, 0);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(size_t(sent));
  }
  return true;
}

bool receive_bytes(const Fd& socket, void* to, size_t size) {
  for (char* at = static_cast<char*>(to); size > 0;) {
    iovec bytes{at, size};
    msghdr message{};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    const ssize_t got = ::recvmsg(socket.get(), &message, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= size_t(got);
  }
  return true;
}

bool send(const Fd& socket, Message kind, std::string_view payload) {
  const Header header{kind, uint32_t(payload.size())};
  return send_bytes(socket, {reinterpret_cast<const char*>(&header), sizeof header}) &&
         send_bytes(socket, payload);
}

bool send_file(const Fd& socket, const Fd& file) {
  char there = file.valid() ? 1 : 0;
  iovec bytes{&there, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))]{};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  if (file.valid()) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    const int fd = file.get();
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
  return ::sendmsg(socket.get(), &message, MSG_NOSIGNAL) == 1;
}

Fd receive_file(const Fd& socket) {
  char there = 0;
  iovec bytes{&there, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))]{};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t got;
  do {
    got = ::recvmsg(socket.get(), &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  const cmsghdr* header = got == 1 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (!header || header->cmsg_type != SCM_RIGHTS) return Fd();
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
  return Fd(fd);
}

bool receive_some(const Fd& socket, std::string& buffer, size_t size, int timeout_ms,
                  const Fd& stop) {
  pollfd entries[] = {{socket.get(), POLLIN, 0}, {stop.get(), POLLIN, 0}};
  const int ready = ::poll(entries, 2, timeout_ms);
  if (ready < 0 && errno == EINTR) return true;
  if (ready <= 0 || entries[1].revents != 0) return false;
  const size_t before = buffer.size();
  buffer.resize(before + std::min(size, kPiece));
  const ssize_t got = ::recv(socket.get(), buffer.data() + before, buffer.size() - before, 0);
  buffer.resize(before + size_t(std::max<ssize_t>(got, 0)));
  return got > 0 || (got < 0 && errno == EINTR);
}

}  // namespace compmond::guard
