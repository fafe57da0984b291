// SPDX-License-Identifier: Apache-2.0
#include "connection/connect.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "base/address.h"

namespace compmond {
namespace {

constexpr int kConnectMs = 5000;  // a host that is away does not say so

Unexpected refused(const std::string& address, int err) {
  const bool permission = is_permission(err);
  return fail_errno(permission ? Exit::kNoPermission : Exit::kNoInput,
                    fmt::format("cannot connect to {}", address), err,
                    permission ? "Only root and the user who started compmond may connect."
                               : "Is compmond running there? It prints the address of its window "
                                 "when it starts.");
}

int set_flags(int fd) {
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  return ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

// 0 once connected, else errno.
int finish_connect(int fd) {
  pollfd poll{fd, POLLOUT, 0};
  int ready;
  do ready = ::poll(&poll, 1, kConnectMs);
  while (ready < 0 && errno == EINTR);
  if (ready < 0) return errno;
  if (ready == 0) return ETIMEDOUT;
  int err = 0;
  socklen_t size = sizeof err;
  ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &size);
  return err;
}

Result<Fd> connect_one(const std::string& address, int family, const sockaddr* to, socklen_t size) {
  Fd fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return refused(address, errno);
  set_flags(fd.get());
  int err = ::connect(fd.get(), to, size) == 0 ? 0 : errno;
  if (err == EINPROGRESS || err == EINTR) err = finish_connect(fd.get());
  if (err != 0) return refused(address, err);
  return fd;
}

Result<Fd> connect_path(const std::string& path) {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  if (path.size() >= sizeof to.sun_path)
    return fail(Exit::kUsage, fmt::format("cannot connect to {}", path),
                fmt::format("a socket's path has at most {} bytes", sizeof to.sun_path - 1));
  std::memcpy(to.sun_path, path.c_str(), path.size() + 1);
  return connect_one(path, AF_UNIX, reinterpret_cast<const sockaddr*>(&to), sizeof to);
}

}  // namespace

Result<Fd> connect_to(const std::string& address) {
  const auto to = parse_address(address, "cannot connect there");
  if (!to) return Unexpected(to.error());
  if (!to->path.empty()) return connect_path(to->path);
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  const std::string host = to->host.empty() ? "127.0.0.1" : to->host;
  const int err = ::getaddrinfo(host.c_str(), to->port.c_str(), &hints, &found);
  if (err != 0)
    return fail(Exit::kNoInput, fmt::format("cannot connect to {}", address), ::gai_strerror(err));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> list(found, ::freeaddrinfo);
  Result<Fd> out = refused(address, EHOSTUNREACH);
  for (const addrinfo* one = found; one && !out; one = one->ai_next)
    out = connect_one(address, one->ai_family, one->ai_addr, one->ai_addrlen);
  return out;
}

}  // namespace compmond
