// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "fake_answers.h"
#include "serve/server.h"

namespace compmond::serve {

struct TemporaryFolder {
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "compmond-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  std::string path;
};

// A server at work, stepped by the test.
struct Hall {
  explicit Hall(Server::Options options = {}) {
    auto opened = Server::open(answers, std::move(options));
    REQUIRE(opened);
    server = std::move(*opened);
    auto listener = Listener::open({path(), "", ""});
    REQUIRE(listener);
    REQUIRE(server->listen(std::move(*listener)));
  }
  std::string path() const { return folder.path + "/s"; }

  // Until the condition holds; false after a time that is far too long.
  bool run_until(const std::function<bool()>& condition) {
    const uint64_t give_up = monotonic_ns() + 20'000'000'000;
    while (!condition()) {
      const uint64_t now = monotonic_ns();
      if (now > give_up) return false;
      const uint64_t due = server->step(now);
      pollfd entry{server->fd().get(), POLLIN, 0};
      if (due > now) ::poll(&entry, 1, 1);
    }
    return true;
  }

  TemporaryFolder folder;
  FakeAnswers answers;
  std::unique_ptr<Server> server;
};

// A client that never blocks: what it gets is collected by read().
struct Visitor {
  explicit Visitor(Hall& of) : hall(of), fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    std::strcpy(to.sun_path, hall.path().c_str());
    REQUIRE(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0);
  }
  // From 127.0.0.<host>.
  Visitor(Hall& of, uint16_t port, uint8_t host = 1)
      : hall(of), fd(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{}, from{};
    from.sin_family = to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    from.sin_addr.s_addr = htonl((127u << 24) + host);
    REQUIRE(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&from), sizeof from) == 0);
    REQUIRE(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0);
  }
  Visitor(Hall& of, Fd connected) : hall(of), fd(std::move(connected)) {}

  void say(std::string_view text) {
    REQUIRE(::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL) == ssize_t(text.size()));
  }
  void read() {
    char buffer[65536];
    for (;;) {
      const ssize_t n = ::recv(fd.get(), buffer, sizeof buffer, MSG_DONTWAIT);
      if (n > 0) {
        heard.append(buffer, size_t(n));
        continue;
      }
      ended |= n == 0 || (errno != EAGAIN && errno != EINTR);
      return;
    }
  }
  // The next line.
  std::string line() {
    const bool came = hall.run_until([&] {
      read();
      return ended || heard.find('\n') != heard.npos;
    });
    CHECK(came);
    const size_t end = heard.find('\n');
    if (end == heard.npos) return "(ended)";
    std::string out = heard.substr(0, end);
    heard.erase(0, end + 1);
    return out;
  }
  snapshot::Answer answer() {
    const std::string text = line();
    INFO(text.substr(0, 200));
    auto out = snapshot::answer_from_line(text);
    REQUIRE(out);
    return *out;
  }
  bool hung_up_on() {
    return hall.run_until([&] {
      read();
      return ended;
    });
  }

  Hall& hall;
  Fd fd;
  std::string heard;
  bool ended = false;
};

}  // namespace compmond::serve
