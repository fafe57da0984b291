// SPDX-License-Identifier: Apache-2.0
#include "guard/channel.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include "base/clock.h"
#include "base/thread.h"
#include "core/byte_stream.h"
#include "core/process_status.h"

namespace compmond::guard {
namespace {

constexpr size_t kPiece = 64u << 10;  // bytes taken from the socket at once
constexpr int kEndingMs = 5'000;      // from the end of its channel to a child's own

int ms_until(uint64_t end_ns) {
  if (end_ns == kEndless) return -1;
  const uint64_t now = monotonic_ns();
  return now >= end_ns ? 0 : int(std::min<uint64_t>((end_ns - now) / 1'000'000 + 1, INT_MAX));
}

// Whether `socket` is ready for `events`, or has ended, before the end.
bool await(const Fd& socket, short events, uint64_t end_ns) {
  pollfd entry{socket.get(), events, 0};
  for (;;) {
    const int ready = ::poll(&entry, 1, ms_until(end_ns));
    if (ready > 0 || !(ready < 0 && errno == EINTR)) return ready > 0;
  }
}

// Does `call`, which returns as sendmsg does, until it is not interrupted; before the end.
template <class Call>
ssize_t before_end(const Fd& socket, short events, uint64_t end_ns, Call call) {
  const int flags = end_ns == kEndless ? 0 : MSG_DONTWAIT;
  for (;;) {
    const ssize_t done = call(flags);
    if (done >= 0 || (errno != EINTR && errno != EAGAIN)) return done;
    if (errno == EAGAIN && !await(socket, events, end_ns)) return -1;
  }
}

// Whether it has ended by itself soon enough.
bool ends_by_itself(pid_t pid) {
  const Fd process(int(::syscall(SYS_pidfd_open, pid, 0)));
  return !process.valid() ||
         await(process, POLLIN, monotonic_ns() + uint64_t(kEndingMs) * 1'000'000);
}

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
  // One that this process may not kill any more is left to whoever comes after it.
  if (!ends_by_itself(pid_) && ::kill(pid_, SIGKILL) != 0) return;
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
  if (pid < 0) return fail_to_start(what, errno);
  if (pid == 0) {
    work(childs);
    ::_exit(1);
  }
  return Child{pid, std::move(own)};
}

bool send_bytes(const Fd& socket, std::string_view bytes, uint64_t end_ns) {
  while (!bytes.empty()) {
    const ssize_t sent = before_end(socket, POLLOUT, end_ns, [&](int flags) {
      return ::sendto(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | flags, nullptr, 0);
    });
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

bool send_file(const Fd& socket, const Fd& file, uint64_t end_ns) {
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
  return before_end(socket, POLLOUT, end_ns, [&](int flags) {
           return ::sendmsg(socket.get(), &message, MSG_NOSIGNAL | flags);
         }) == 1;
}

Fd receive_file(const Fd& socket, uint64_t end_ns) {
  char there = 0;
  iovec bytes{&there, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))]{};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t got = before_end(socket, POLLIN, end_ns, [&](int flags) {
    return ::recvmsg(socket.get(), &message, MSG_CMSG_CLOEXEC | flags);
  });
  const cmsghdr* header = got == 1 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (!header || header->cmsg_type != SCM_RIGHTS) return Fd();
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
  return Fd(fd);
}

bool receive(const Fd& socket, std::string& payload, uint64_t end_ns) {
  std::string head;
  while (head.size() < sizeof(Header))
    if (!receive_some_until(socket, head, sizeof(Header) - head.size(), end_ns)) return false;
  Header header;
  std::memcpy(&header, head.data(), sizeof header);
  payload.clear();
  while (payload.size() < header.size)
    if (!receive_some_until(socket, payload, header.size - payload.size(), end_ns)) return false;
  return true;
}

std::string packed(const Result<void>& done) {
  ByteWriter writer;
  const Error error = done ? Error{Exit::kOk, {}, {}, {}} : done.error();
  writer(error.code, error.what, error.why, error.next);
  return writer.take();
}

Result<void> unpacked(const std::string& payload) {
  ByteReader reader(payload);
  Error error;
  reader(error.code, error.what, error.why, error.next);
  if (error.code == Exit::kOk) return {};
  return Unexpected(error);
}

bool receive_some_until(const Fd& socket, std::string& buffer, size_t size, uint64_t end_ns) {
  return await(socket, POLLIN, end_ns) && receive_some(socket, buffer, size, 0);
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
