// SPDX-License-Identifier: Apache-2.0
#include "serve/listener.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "base/invoker.h"

namespace compmond::serve {
namespace {

constexpr int kBacklog = 64;  // more would be more clients than there may be

Fd new_socket(int family) {
  return Fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

bool nobody_listens(const sockaddr_un& address) {
  const Fd probe = new_socket(AF_UNIX);
  return probe.valid() &&
         ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
         errno == ECONNREFUSED;
}

// Gives the socket to those who may use it, through the file itself: its name could be another's by
// now. 0 or errno; the inode in `inode`.
int admit_users(const std::string& path, ino_t& inode) {
  const Fd file(::open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat st {};
  if (!file.valid() || ::fstat(file.get(), &st) != 0) return errno;
  if (!S_ISSOCK(st.st_mode) || st.st_uid != ::geteuid()) return EPERM;
  inode = st.st_ino;
  if (::chmod(file.proc_path().c_str(), 0660) != 0) return errno;
  const auto user = invoker();
  if (user && ::fchownat(file.get(), "", user->uid, user->gid, AT_EMPTY_PATH) != 0) return errno;
  return 0;
}

bool is_loopback(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    return (ntohl(v4.sin_addr.s_addr) >> 24) == 127;
  }
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
  return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
}

bool is_any(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET)
    return reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr == INADDR_ANY;
  return IN6_IS_ADDR_UNSPECIFIED(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
}

// "host:port" as others on the way to it would write it.
std::string text_of(const sockaddr_storage& address, socklen_t size) {
  char host[NI_MAXHOST] = "", port[NI_MAXSERV] = "";
  ::getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, host, sizeof host, port,
                sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
  if (is_any(address)) {
    ::gethostname(host, sizeof host - 1);
    return fmt::format("{}:{}", host, port);
  }
  const bool v6 = address.ss_family == AF_INET6;
  return v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

}  // namespace

Listener::Listener(Listener&& other) noexcept
    : fd_(std::move(other.fd_)),
      address_(std::move(other.address_)),
      place_(std::exchange(other.place_, {})),
      inode_(other.inode_),
      beyond_(other.beyond_) {}

Listener::~Listener() {
  if (!place_) return;
  struct stat st {};
  const char* name = place_->name().c_str();
  if (::fstatat(place_->folder(), name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_ino == inode_)
    ::unlinkat(place_->folder(), name, 0);
}

Result<Listener> Listener::open(const Address& address) {
  return address.path.empty() ? open_port(address) : open_path(address.path);
}

Result<Listener> Listener::open_path(const std::string& path) {
  const std::string what = fmt::format("cannot listen at '{}'", path);
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  if (path.size() >= sizeof to.sun_path)
    return fail(Exit::kUsage, what,
                fmt::format("a socket's path has at most {} bytes", sizeof to.sun_path - 1),
                "Choose a shorter one.");
  std::memcpy(to.sun_path, path.c_str(), path.size() + 1);
  auto place = FilePlace::open(path);
  if (!place) return fail(Exit::kCantCreate, what, place.error().why, "Choose another path.");
  Listener out;
  out.fd_ = new_socket(AF_UNIX);
  const auto bind = [&] {
    ::fchmod(out.fd_.get(), 0600);  // bind() takes the mode from here: nobody comes in too early
    return ::bind(out.fd_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
  };
  bool bound = out.fd_.valid() && bind();
  struct stat st {};
  if (!bound && errno == EADDRINUSE && ::lstat(path.c_str(), &st) == 0 && S_ISSOCK(st.st_mode) &&
      nobody_listens(to)) {  // left behind by one that was killed
    ::unlink(path.c_str());
    bound = bind();
  }
  if (!bound)
    return fail_errno(Exit::kCantCreate, what, errno,
                      "Choose another path; what is there is left as it is.");
  // At once: whoever finds it bound and silent takes it for one that was left behind.
  if (::listen(out.fd_.get(), kBacklog) != 0) return fail_errno(Exit::kCantCreate, what, errno);
  out.address_ = path;
  out.place_ = std::move(*place);
  if (const int err = admit_users(path, out.inode_); err != 0)
    return fail_errno(Exit::kCantCreate, what, err, "Choose a folder that only you can write to.");
  return out;
}

Result<Listener> Listener::open_port(const Address& address) {
  const std::string host = address.host.empty() ? "127.0.0.1" : address.host;
  const std::string what = fmt::format("cannot listen at {}:{}", host, address.port);
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  const int unknown = ::getaddrinfo(host.c_str(), address.port.c_str(), &hints, &found);
  if (unknown != 0)
    return fail(Exit::kUsage, what, ::gai_strerror(unknown), "Give an address of this host.");
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> list(found, ::freeaddrinfo);
  Listener out;
  out.fd_ = new_socket(found->ai_family);
  const int on = 1;
  ::setsockopt(out.fd_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (!out.fd_.valid() || ::bind(out.fd_.get(), found->ai_addr, found->ai_addrlen) != 0 ||
      ::listen(out.fd_.get(), kBacklog) != 0)
    return fail_errno(Exit::kCantCreate, what, errno, "Choose another port.");
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  if (::getsockname(out.fd_.get(), reinterpret_cast<sockaddr*>(&bound), &size) != 0)
    return fail_errno(Exit::kCantCreate, what, errno);
  out.beyond_ = !is_loopback(bound);
  out.address_ = text_of(bound, size);
  return out;
}

}  // namespace compmond::serve
