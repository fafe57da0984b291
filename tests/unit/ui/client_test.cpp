// SPDX-License-Identifier: Apache-2.0
#include "ui/link/client.h"

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <condition_variable>
#include <ctime>
#include <mutex>
#include <thread>

#include "stage.h"

using namespace compmond;
using namespace compmond::ui;

namespace {

// Both ends of a connection, and the client's events as they come.
struct Connection {
  Connection() {
    int fds[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
    client_fd = fds[0];
    daemon.reset(fds[1]);
  }
  void say(const std::string& line) {
    const std::string text = line + "\n";
    REQUIRE(::send(daemon.get(), text.data(), text.size(), MSG_NOSIGNAL) == ssize_t(text.size()));
  }
  void greet() {
    snapshot::Hello hello;
    hello.spec_name = "file host";
    say(to_line(hello));
  }
  Result<std::unique_ptr<Client>> open() {
    return Client::open({"", client_fd, ""}, [this] {
      const std::lock_guard lock(mutex);
      ++wakes;
      changed.notify_all();
    });
  }
  // A client that was greeted, and has asked for something.
  std::unique_ptr<Client> asking() {
    greet();
    auto client = open();
    REQUIRE(client);
    REQUIRE(next(**client).hello);
    (*client)->ask({});
    return std::move(*client);
  }
  // The next event; what came with it is kept.
  Client::Event next(Client& client) {
    std::unique_lock lock(mutex);
    for (;;) {
      for (auto& event : client.events()) kept.push_back(std::move(event));
      if (!kept.empty()) {
        Client::Event first = std::move(kept.front());
        kept.erase(kept.begin());
        return first;
      }
      const int before = wakes;
      REQUIRE(changed.wait_for(lock, std::chrono::seconds(60), [&] { return wakes != before; }));
    }
  }

  int client_fd = -1;
  Fd daemon;
  std::mutex mutex;
  std::condition_variable changed;
  int wakes = 0;
  std::vector<Client::Event> kept;
};

}  // namespace

TEST_CASE("client: greets, asks one thing at a time, and hands answers over") {
  Connection connection;
  connection.greet();
  auto client = connection.open();
  REQUIRE(client);
  CHECK(connection.next(**client).hello->spec_name == "file host");
  CHECK((*client)->idle());
  snapshot::ViewRequest request;
  request.id = 7;
  (*client)->ask(request);
  CHECK_FALSE((*client)->idle());
  char line[4096];
  const ssize_t size = ::recv(connection.daemon.get(), line, sizeof line, 0);
  REQUIRE(size > 0);
  const auto read = snapshot::request_from_line({line, size_t(size) - 1});
  REQUIRE(read);
  CHECK(read->view == request);
  snapshot::View answer = file_host();
  answer.id = 7;
  const std::string text = to_line(answer);
  // In two pieces, as a socket delivers what is large.
  REQUIRE(::send(connection.daemon.get(), text.data(), 1000, MSG_NOSIGNAL) == 1000);
  connection.say(text.substr(1000));
  const Client::Event event = connection.next(**client);
  REQUIRE(event.answer);
  CHECK(event.answer->view == answer);
  CHECK((*client)->idle());
}

TEST_CASE("client: the end of the connection and a broken line come as a loss with a reason") {
  for (const bool broken : {false, true}) {
    Connection connection;
    connection.greet();
    auto client = connection.open();
    REQUIRE(client);
    REQUIRE(connection.next(**client).hello);
    if (broken)
      connection.say("{\"answer\": \"view\"}");
    else
      connection.daemon.reset();
    const Client::Event event = connection.next(**client);
    REQUIRE(event.lost);
    CHECK(event.lost->reason.find(broken ? "is missing" : "compmond has ended") !=
          std::string::npos);
    CHECK_FALSE((*client)->idle());
  }
}

TEST_CASE("client: what the daemon says before it hangs up is why the connection ended") {
  Connection connection;
  const auto client = connection.asking();
  connection.say(to_line(snapshot::Refusal{0, "compmond has ended: --duration 10 is over", true}));
  connection.daemon.reset();
  const Client::Event event = connection.next(*client);
  REQUIRE(event.lost);
  CHECK(event.lost->parted);
  CHECK(event.lost->reason == "compmond has ended: --duration 10 is over");
}

TEST_CASE("client: what the daemon refuses without a number does not end the connection") {
  Connection connection;
  const auto client = connection.asking();
  connection.say(to_line(snapshot::Refusal{0, "'new': there is no such key"}));
  const Client::Event event = connection.next(*client);
  REQUIRE(event.answer);
  REQUIRE(event.answer->refusal);
  CHECK(client->idle());
}

TEST_CASE("client: who asks where there is no connection cuts one pause short, not all") {
  char folder[] = "/tmp/compmond-client-XXXXXX";
  REQUIRE(::mkdtemp(folder));
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  const std::string path = std::string(folder) + "/s";
  path.copy(at.sun_path, sizeof at.sun_path - 1);
  Fd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(::bind(listener.get(), reinterpret_cast<sockaddr*>(&at), sizeof at) == 0);
  REQUIRE(::listen(listener.get(), 8) == 0);
  Connection daemon;
  std::thread greeter([&] {
    daemon.daemon.reset(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    daemon.greet();
  });
  auto client = Client::open({path, -1, ""}, [&] {
    const std::lock_guard lock(daemon.mutex);
    ++daemon.wakes;
    daemon.changed.notify_all();
  });
  greeter.join();
  REQUIRE(client);
  REQUIRE(daemon.next(**client).hello);
  listener.reset();  // from now on nobody answers
  daemon.daemon.reset();
  REQUIRE(daemon.next(**client).lost);
  (*client)->ask({});
  const auto of = [](clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return double(now.tv_sec) + double(now.tv_nsec) / 1e9;
  };
  const double wall = of(CLOCK_MONOTONIC), cpu = of(CLOCK_PROCESS_CPUTIME_ID);
  while (of(CLOCK_MONOTONIC) - wall < 0.5) ::poll(nullptr, 0, 50);
  CHECK(of(CLOCK_PROCESS_CPUTIME_ID) - cpu < 0.25 * (of(CLOCK_MONOTONIC) - wall));
  client->reset();
  ::unlink(path.c_str());
  ::rmdir(folder);
  ::close(daemon.client_fd);
}

TEST_CASE("client: a refusal instead of a greeting is an error with its text") {
  Connection connection;
  connection.say(to_line(snapshot::Refusal{0, "show the token first"}));
  const auto client = connection.open();
  REQUIRE_FALSE(client);
  CHECK(client.error().code == Exit::kNoPermission);
  CHECK(client.error().text().find("show the token first") != std::string::npos);
}

TEST_CASE("client: a token goes first") {
  Connection connection;
  connection.greet();
  const auto client = Client::open({"", connection.client_fd, "secret"}, [] {});
  REQUIRE(client);
  char line[256];
  const ssize_t size = ::recv(connection.daemon.get(), line, sizeof line, 0);
  REQUIRE(size > 0);
  CHECK(std::string(line, size_t(size)) ==
        "{\"request\":\"token\",\"id\":0,\"token\":\"secret\"}\n");
}
