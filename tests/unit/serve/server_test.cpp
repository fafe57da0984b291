// SPDX-License-Identifier: Apache-2.0
#include "serve/server.h"

#include "hall.h"

using namespace compmond;
using namespace compmond::serve;

namespace {

constexpr size_t kHuge = 8u << 20;  // more than a socket takes at once

std::string ask(uint64_t id) {
  return "{\"request\":\"view\",\"id\":" + std::to_string(id) + "}\n";
}

}  // namespace

TEST_CASE("server: greets a client, then answers what it asks, in order") {
  Hall hall;
  Visitor visitor(hall);
  const auto hello = visitor.answer().hello;
  REQUIRE(hello);
  CHECK(hello->version == "test");
  CHECK(hello->control);
  visitor.say(ask(1) + ask(2) + "\n\r\n" + ask(3));
  for (uint64_t id = 1; id <= 3; ++id) {
    const auto view = visitor.answer().view;
    REQUIRE(view);
    CHECK(view->id == id);
  }
}

TEST_CASE("server: a request may come in many small parts") {
  Hall hall;
  Visitor visitor(hall);
  visitor.answer();
  for (const char c : ask(7)) {
    visitor.say(std::string(1, c));
    hall.server->step(monotonic_ns());
  }
  CHECK(visitor.answer().view->id == 7);
}

TEST_CASE("server: a wrong request is refused with its id or place, and the connection lives") {
  Hall hall;
  Visitor visitor(hall);
  visitor.answer();
  visitor.say("{\"request\":\"view\",\"strip\":{\"columns\":\"x\"}}\n");
  const auto refusal = visitor.answer().refusal;
  REQUIRE(refusal);
  CHECK(refusal->error.find("/strip/columns") != std::string::npos);
  visitor.say("{\"request\":\"view\",\"id\":9,\"metric\":\"none\"}\n{]\n");
  CHECK(visitor.answer().refusal == snapshot::Refusal{9, "cannot answer: there is no metric"});
  CHECK(visitor.answer().refusal);
  visitor.say(ask(4));
  CHECK(visitor.answer().view->id == 4);
}

TEST_CASE("server: hangs up on what is no JSON object, having said why") {
  Hall hall;
  for (const char* babble : {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "\x16\x03\x01\n", "[1]\n"}) {
    Visitor visitor(hall);
    visitor.answer();
    visitor.say(babble);
    CHECK(visitor.answer().refusal);
    CHECK(visitor.hung_up_on());
  }
  CHECK(hall.answers.views == 0);
}

TEST_CASE("server: hangs up on a line that is too long, without keeping it") {
  Hall hall;
  Visitor visitor(hall);
  visitor.answer();
  const std::string part(4096, '{');
  CHECK(hall.run_until([&] {
    (void)::send(visitor.fd.get(), part.data(), part.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    visitor.read();
    return visitor.heard.find('\n') != std::string::npos;
  }));
  CHECK(visitor.answer().refusal->error.find("65,536") != std::string::npos);
  CHECK(visitor.hung_up_on());
  CHECK(hall.run_until([&] { return hall.server->clients() == 0; }));
}

TEST_CASE("server: a client that has not taken its answer gets no second one made") {
  Hall hall;
  hall.answers.bytes = kHuge;
  Visitor slow(hall);
  slow.answer();
  slow.say(ask(1) + ask(2));
  CHECK(hall.run_until([&] { return hall.answers.views == 1; }));
  Visitor other(hall);
  other.answer();
  other.say(ask(3));
  CHECK(other.answer().view->id == 3);  // meanwhile others are served
  CHECK(hall.answers.views == 2);
  CHECK(slow.answer().view->id == 1);
  CHECK(slow.answer().view->id == 2);
}

TEST_CASE("server: a client that takes nothing is dropped") {
  Hall hall({"", 1'000'000});
  hall.answers.bytes = kHuge;
  Visitor slow(hall);
  slow.answer();
  slow.say(ask(1));
  CHECK(hall.run_until([&] { return hall.server->clients() == 0; }));
  CHECK(slow.hung_up_on());
}

TEST_CASE("server: a client is not dropped for the time that its answer took to make") {
  Hall hall;
  hall.answers.bytes = kHuge;
  Visitor visitor(hall);
  visitor.answer();
  visitor.say(ask(1));
  hall.server->step(monotonic_ns() - 2 * limits::kStuckNs);  // a step that began long ago
  REQUIRE(hall.answers.views == 1);
  hall.server->step(monotonic_ns());
  CHECK(hall.server->clients() == 1);
}

TEST_CASE("server: a client may go at any time") {
  Hall hall;
  hall.answers.bytes = kHuge;
  for (int i = 0; i < 20; ++i) {
    Visitor visitor(hall);
    if (i % 2 == 0) visitor.answer();
    if (i % 3 == 0) visitor.say(ask(1));
    if (i % 4 == 0) hall.run_until([&] { return hall.answers.views > 0; });
  }
  CHECK(hall.run_until([&] { return hall.server->clients() == 0; }));
}

TEST_CASE("server: a client that says no more still gets its answers, then the end") {
  Hall hall;
  Visitor visitor(hall);
  visitor.answer();
  visitor.say(ask(1) + ask(2) + "{\"request\":");
  ::shutdown(visitor.fd.get(), SHUT_WR);
  CHECK(visitor.answer().view->id == 1);
  CHECK(visitor.answer().view->id == 2);
  CHECK(visitor.hung_up_on());
  CHECK(hall.server->clients() == 0);
}

TEST_CASE("server: when it parts, every client hears why before the end") {
  Hall hall;
  Visitor asks(hall), waits(hall);
  asks.answer();
  waits.answer();
  asks.say(ask(1));
  CHECK(asks.answer().view->id == 1);
  hall.server->part("compmond has ended: --duration 10 is over");
  for (Visitor* visitor : {&asks, &waits}) {
    const snapshot::Answer said = visitor->answer();
    REQUIRE(said.refusal);
    CHECK(said.refusal->ends);
    CHECK(said.refusal->error == "compmond has ended: --duration 10 is over");
    CHECK(visitor->hung_up_on());
  }
}

TEST_CASE("server: a thousand connections leave it as it was") {
  Hall hall;
  Visitor first(hall);
  first.answer();
  for (int i = 0; i < 1000; ++i) {
    Visitor visitor(hall);
    REQUIRE(hall.run_until([&] {
      visitor.read();
      return !visitor.heard.empty();
    }));
  }
  CHECK(hall.run_until([&] { return hall.server->clients() == 1; }));
  first.say(ask(1));
  CHECK(first.answer().view->id == 1);
}

TEST_CASE("server: more clients than there may be are told so") {
  Hall hall;
  std::vector<std::unique_ptr<Visitor>> visitors;
  for (size_t i = 0; i < limits::kClients + 10; ++i) {
    visitors.push_back(std::make_unique<Visitor>(hall));
    const auto answer = visitors.back()->answer();
    CHECK(answer.hello.has_value() == (i < limits::kClients));
  }
  CHECK(hall.server->clients() == limits::kClients);
  visitors.erase(visitors.begin());
  CHECK(hall.run_until([&] { return hall.server->clients() < limits::kClients; }));
  CHECK(Visitor(hall).answer().hello);
}

TEST_CASE("server: clients are answered in turn and leave half of the time to others") {
  Hall hall;
  hall.answers.busy_ns = 2'000'000;
  Visitor greedy(hall), polite(hall);
  greedy.answer();
  polite.answer();
  std::string many;
  for (uint64_t id = 0; id < 500; ++id) many += ask(id);
  greedy.say(many);
  const uint64_t begin = monotonic_ns();
  for (uint64_t id = 0; id < 20; ++id) {
    polite.say(ask(id));
    CHECK(polite.answer().view->id == id);
  }
  const uint64_t elapsed = monotonic_ns() - begin;
  CHECK(hall.answers.views <= 20 + 22);  // the greedy one had its turns, no more
  CHECK(hall.answers.spent_ns * 10 < elapsed * 6);
}

TEST_CASE("server: does what a client that may control asks for, and says what it did") {
  Hall hall;
  Visitor visitor(hall);
  visitor.answer();
  visitor.say("{\"request\":\"control\",\"id\":3,\"action\":\"stop\"}\n");
  CHECK(visitor.answer().control == snapshot::ControlAnswer{3, "done", ""});
  visitor.say("{\"request\":\"control\",\"action\":\"dance\"}\n");
  const auto answer = visitor.answer().control;
  REQUIRE(answer);
  CHECK(answer->error.find("no such action") != std::string::npos);
}

TEST_CASE("server: knows whether the client that it was given is still there") {
  Hall hall;
  int pair[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0);
  CHECK_FALSE(hall.server->has_adopted());
  hall.server->adopt(Fd(pair[0]));
  CHECK(hall.server->has_adopted());
  {
    Visitor window(hall, Fd(pair[1]));
    CHECK(window.answer().hello->control);
    window.say(ask(5));
    CHECK(window.answer().view->id == 5);
  }
  CHECK(hall.run_until([&] { return !hall.server->has_adopted(); }));
}
