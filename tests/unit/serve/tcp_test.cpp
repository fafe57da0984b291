// SPDX-License-Identifier: Apache-2.0
#include "hall.h"

using namespace compmond;
using namespace compmond::serve;

namespace {

constexpr const char* kToken = "0123456789abcdef";
constexpr const char* kStop = "{\"request\":\"control\",\"id\":3,\"action\":\"stop\"}\n";

// A hall with a port of this host beside its socket.
struct PortHall : Hall {
  explicit PortHall(const std::string& token) : Hall({token, limits::kStuckNs}) {
    auto listener = Listener::open({"", "", "0"});
    REQUIRE(listener);
    CHECK_FALSE(listener->beyond_this_host());
    CHECK_FALSE(listener->local());
    const std::string address = listener->address();
    CHECK(address.rfind("127.0.0.1:", 0) == 0);
    port = uint16_t(std::stoi(address.substr(address.find(':') + 1)));
    REQUIRE(server->listen(std::move(*listener)));
  }
  uint16_t port = 0;
};

std::string show(const std::string& token) {
  return snapshot::to_line(snapshot::TokenRequest{0, token}) + "\n";
}

// Say nothing where a token is asked for.
class Silent {
 public:
  // Connects so many, the server being at work meanwhile.
  void come(PortHall& hall, size_t count, uint8_t host = 1) {
    for (size_t i = 0; i < count; ++i) {
      all_.push_back(std::make_unique<Visitor>(hall, hall.port, host));
      hall.server->step(monotonic_ns());
    }
  }

 private:
  std::vector<std::unique_ptr<Visitor>> all_;
};

}  // namespace

TEST_CASE("server: over a port of this host, without a token, one may look and not control") {
  PortHall hall("");
  Visitor visitor(hall, hall.port);
  const auto hello = visitor.answer().hello;
  REQUIRE(hello);
  CHECK_FALSE(hello->control);
  visitor.say(kStop);
  CHECK(visitor.answer().control->error.find("not control") != std::string::npos);
  CHECK(hall.answers.controls == 0);
  visitor.say(show("whatever"));  // not asked for
  visitor.say("{\"request\":\"view\",\"id\":2}\n");
  CHECK(visitor.answer().view->id == 2);
}

TEST_CASE("server: who shows the token is greeted and may control") {
  PortHall hall(kToken);
  Visitor visitor(hall, hall.port);
  visitor.say(show(kToken));
  const auto hello = visitor.answer().hello;
  REQUIRE(hello);
  CHECK(hello->control);
  visitor.say(kStop);
  CHECK(visitor.answer().control->done == "done");
}

TEST_CASE("server: who does not show the token learns nothing") {
  PortHall hall(kToken);
  for (const std::string& first :
       {show("0123456789abcdeX"), show("0123456789abcde"), show(""), std::string(kStop),
        std::string("{\"request\":\"view\"}\n"), std::string("{]\n"), std::string("hello\n")}) {
    Visitor visitor(hall, hall.port);
    visitor.say(first);
    CHECK(visitor.answer().refusal);
    CHECK(visitor.hung_up_on());
  }
  CHECK(hall.answers.views == 0);
  CHECK(hall.answers.controls == 0);
}

TEST_CASE("server: the token is for ports, not for the socket of this user") {
  PortHall hall(kToken);
  Visitor visitor(hall);
  CHECK(visitor.answer().hello->control);
}

TEST_CASE("server: ports take only half of the places") {
  PortHall hall("");
  std::vector<std::unique_ptr<Visitor>> strangers;
  for (size_t i = 0; i < limits::kClients; ++i) {
    strangers.push_back(std::make_unique<Visitor>(hall, hall.port));
    CHECK(strangers.back()->answer().hello.has_value() == (i < limits::kClientsTcp));
  }
  CHECK(Visitor(hall).answer().hello);
}

TEST_CASE("server: silent strangers keep out nobody who shows the token") {
  for (const size_t silent : {limits::kClientsTcp, size_t(1000)}) {
    PortHall hall(kToken);
    Visitor before(hall, hall.port);
    before.say(show(kToken));
    REQUIRE(before.answer().hello);
    Silent strangers;
    strangers.come(hall, silent);
    CHECK(hall.server->clients() <= limits::kStrangers + 1);
    std::vector<std::unique_ptr<Visitor>> holders;
    for (size_t i = 1; i < limits::kClientsTcp; ++i) {
      holders.push_back(std::make_unique<Visitor>(hall, hall.port));
      holders.back()->say(show(kToken));
      CHECK(holders.back()->answer().hello);
    }
    before.say("{\"request\":\"view\",\"id\":2}\n");
    CHECK(before.answer().view->id == 2);
    CHECK(Visitor(hall).answer().hello);  // at the socket
    Visitor one_more(hall, hall.port);    // as many as ports may have are in
    one_more.say(show(kToken));
    CHECK(one_more.answer().refusal);
  }
}

TEST_CASE("server: a token that was sent is read, however many strangers came since") {
  PortHall hall(kToken);
  Silent strangers;
  strangers.come(hall, limits::kStrangers);
  Visitor holder(hall, hall.port);
  hall.server->step(monotonic_ns());  // it is one of the strangers
  holder.say(show(kToken));
  strangers.come(hall, 2 * limits::kStrangers);
  CHECK(holder.answer().hello);
}

TEST_CASE("server: strangers of one address make room for each other, not those of others") {
  PortHall hall(kToken);
  Visitor slow(hall, hall.port, 2);
  hall.server->step(monotonic_ns());
  Silent strangers;
  strangers.come(hall, 2 * limits::kStrangers);
  CHECK(hall.server->clients() == limits::kStrangers);
  slow.say(show(kToken));
  CHECK(slow.answer().hello);
}

TEST_CASE("server: who was told that his token is wrong keeps nobody's place") {
  PortHall hall(kToken);
  std::vector<std::unique_ptr<Visitor>> liars;
  for (size_t i = 0; i < 2 * limits::kStrangers; ++i) {
    liars.push_back(std::make_unique<Visitor>(hall, hall.port));
    liars.back()->say(show("0123456789abcdeX"));
    CHECK(liars.back()->answer().refusal);
  }
  Visitor holder(hall, hall.port);
  holder.say(show(kToken));
  CHECK(holder.answer().hello);
}

TEST_CASE("server: a stranger's line is as long as a token, no longer") {
  const std::string longest(4096, '"');
  PortHall hall(longest);
  Visitor holder(hall, hall.port), babbler(hall, hall.port);
  holder.say(show(longest));
  CHECK(holder.answer().hello);
  babbler.say(std::string(limits::kTokenLineBytes + 1, '{'));
  CHECK(babbler.answer().refusal);
  CHECK(babbler.hung_up_on());
}

TEST_CASE("server: one who says nothing where a token is asked for is dropped in time") {
  PortHall hall(kToken);
  Visitor visitor(hall, hall.port);
  CHECK(hall.run_until([&] { return hall.server->clients() == 1; }));
  hall.server->step(monotonic_ns() + limits::kTokenNs / 2);
  CHECK(hall.server->clients() == 1);
  hall.server->step(monotonic_ns() + limits::kTokenNs + 1);
  CHECK(hall.server->clients() == 0);
}
