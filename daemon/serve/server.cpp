// SPDX-License-Identifier: Apache-2.0
#include "serve/server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/clock.h"
#include "serve/peer.h"
#include "serve/token.h"

namespace compmond::serve {
namespace {

using Rights = Connection::Rights;

constexpr uint64_t kDeafNs = 100'000'000;  // until descriptors may be free again
// What a client is told apart from data.
constexpr const char* kTooLong = "a request has at most 65,536 bytes; good-bye";
constexpr const char* kBabble = "that is no JSON object; good-bye (docs/protocol.md)";
constexpr const char* kNoToken = "show the token first; good-bye (docs/protocol.md)";
constexpr const char* kFull = "there are as many clients as there may be; try again later";
constexpr const char* kStranger = "only root and the user who started compmond may connect";
constexpr const char* kLookOnly = "this connection may look, not control (docs/protocol.md)";

// What this thread used: on a busy machine an answer takes longer without costing more.
uint64_t cpu_ns() {
  timespec ts{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
  return ns_of(ts);
}

void set_up_tcp(const Fd& socket) {
  const int on = 1;
  // Answers are whole lines: waiting for more to send gains nothing.
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // A host that went away gives its place back after some minutes.
  const int idle_s = 60;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
}

}  // namespace

Server::Server(Answers& answers, Options options, Fd epoll)
    : answers_(answers), options_(std::move(options)), epoll_(std::move(epoll)) {
  turn_ = clients_.end();
}

Result<std::unique_ptr<Server>> Server::open(Answers& answers, Options options) {
  Fd epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll.valid()) return fail_errno(Exit::kInternal, "cannot serve windows", errno);
  return std::unique_ptr<Server>(new Server(answers, std::move(options), std::move(epoll)));
}

Result<void> Server::listen(Listener listener) {
  epoll_event event{EPOLLIN, {.ptr = nullptr}};
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, listener.fd().get(), &event) != 0)
    return fail_errno(Exit::kInternal, "cannot serve windows", errno);
  listeners_.push_back(std::move(listener));
  return {};
}

void Server::adopt(Fd connected) {
  add(std::move(connected), Rights::kControl, true, std::nullopt, monotonic_ns());
}

bool Server::has_adopted() const {
  return std::ranges::any_of(clients_, [](const Client& c) { return c.adopted; });
}

void Server::refuse(Fd socket, const std::string& why) {
  const std::string line = snapshot::to_line(snapshot::Refusal{0, why}) + "\n";
  (void)::send(socket.get(), line.data(), line.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

void Server::add(Fd socket, Rights rights, bool adopted, std::optional<Origin> origin,
                 uint64_t now_ns) {
  const auto place = clients_.insert(
      clients_.end(), Client{Connection(std::move(socket), rights, now_ns), adopted, origin});
  epoll_event event{0, {.ptr = &*place}};
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, place->connection.fd(), &event) != 0) {
    clients_.erase(place);
    return;
  }
  if (rights != Rights::kToken) {
    snapshot::Hello hello = answers_.hello();
    hello.control = rights == Rights::kControl;
    place->connection.send(snapshot::to_line(hello), now_ns);
  }
  watch(*place);
}

void Server::accept(const Listener& listener, uint64_t now_ns) {
  for (size_t i = 0; i < limits::kClients; ++i) {  // the rest next time
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    Fd socket(::accept4(listener.fd().get(), reinterpret_cast<sockaddr*>(&from), &size,
                        SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.valid()) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      if (errno != EAGAIN) {  // no descriptor is free, say: asking again at once would not help
        deaf_until_ns_ = now_ns + kDeafNs;
        for (const Listener& each : listeners_)
          ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, each.fd().get(), nullptr);
      }
      return;
    }
    admit(std::move(socket), listener.local() ? std::nullopt : std::optional(origin_of(from)),
          now_ns);
  }
}

void Server::admit(Fd socket, std::optional<Origin> origin, uint64_t now_ns) {
  if (!origin) {
    const auto user = peer_user(socket.get());
    if (!user || !guests_.admits(*user)) return refuse(std::move(socket), kStranger);
  } else {
    set_up_tcp(socket);
    if (!options_.token.empty()) {
      make_room_for_stranger(*origin);
      return add(std::move(socket), Rights::kToken, false, origin, now_ns);
    }
  }
  if (!room_for_member(origin.has_value())) return refuse(std::move(socket), kFull);
  add(std::move(socket), origin ? Rights::kView : Rights::kControl, false, origin, now_ns);
}

void Server::listen_again(uint64_t now_ns) {
  if (deaf_until_ns_ == 0 || now_ns < deaf_until_ns_) return;
  deaf_until_ns_ = 0;
  for (const Listener& listener : listeners_) {
    epoll_event event{EPOLLIN, {.ptr = nullptr}};
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, listener.fd().get(), &event);
  }
}

void Server::watch(Client& client) {
  const uint32_t wanted = client.connection.interest();
  if (wanted == client.watched) return;
  epoll_event event{wanted, {.ptr = &client}};
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, client.connection.fd(), &event) != 0)
    client.connection.drop();
  client.watched = wanted;
}

void Server::handle_events(uint64_t now_ns) {
  std::array<epoll_event, limits::kClients + limits::kStrangers + 8> events;
  const int count = ::epoll_wait(epoll_.get(), events.data(), int(events.size()), 0);
  bool knock = false;
  for (int i = 0; i < count; ++i) {
    auto* client = static_cast<Client*>(events[size_t(i)].data.ptr);
    if (!client) {
      knock = true;
      continue;
    }
    Connection& connection = client->connection;
    const uint32_t what = events[size_t(i)].events;
    if (what & EPOLLOUT) connection.flush(now_ns);
    if (what & EPOLLIN) connection.receive();
    if (connection.rights() == Rights::kToken) hear(*client);
    if ((what & (EPOLLHUP | EPOLLERR)) && !(what & EPOLLIN)) connection.drop();
  }
  if (knock)
    for (const Listener& listener : listeners_) accept(listener, now_ns);
}

void Server::reply(Connection& client, const snapshot::Refusal& refusal) {
  client.send(snapshot::to_line(refusal), now_ns_);
}

void Server::hang_up(Connection& client, const std::string& why) {
  reply(client, {0, why});
  client.close_soon(now_ns_);
}

void Server::part(const std::string& why) {
  for (Client& client : clients_) {
    if (client.connection.rights() == Connection::Rights::kToken) continue;
    reply(client.connection, {0, why, true});
    client.connection.close_soon(now_ns_);
  }
}

// What a stranger says first; empty lines are passed over.
void Server::answer_stranger(Client& stranger, const std::string& line) {
  Connection& client = stranger.connection;
  if (line.empty()) return;
  if (line.front() != '{') return hang_up(client, kBabble);
  const auto request = snapshot::request_from_line(line);
  if (!request || !request->token || !same_token(request->token->token, options_.token))
    return hang_up(client, kNoToken);
  if (!room_for_member(true)) return hang_up(client, kFull);
  client.allow(Rights::kControl);
  snapshot::Hello hello = answers_.hello();
  hello.control = true;
  client.send(snapshot::to_line(hello), now_ns_);
}

void Server::answer(Connection& client, const std::string& line) {
  if (line.empty()) return;
  if (line.front() != '{') return hang_up(client, kBabble);
  const auto request = snapshot::request_from_line(line);
  if (!request) return reply(client, {0, request.error().text()});
  if (request->token) return;  // not asked for, or shown already
  if (const auto& wanted = request->view) {
    const auto view = answers_.view(*wanted);
    if (!view) return reply(client, {wanted->id, view.error().text()});
    const std::string text = snapshot::to_line(*view);
    if (text.size() > limits::kAnswerBytes)
      return reply(client, {wanted->id, "the answer is too large: ask for less at once"});
    return client.send(text, monotonic_ns());  // the time that it took to make is not the client's
  }
  const uint64_t id = request->control->id;
  if (client.rights() != Rights::kControl)
    return client.send(snapshot::to_line(snapshot::ControlAnswer{id, "", kLookOnly}), now_ns_);
  const auto done = answers_.control(*request->control);
  client.send(snapshot::to_line(done ? snapshot::ControlAnswer{id, *done, ""}
                                     : snapshot::ControlAnswer{id, "", done.error().text()}),
              now_ns_);
}

void Server::answer_next(uint64_t now_ns) {
  if (now_ns < rest_until_ns_ || waiting() > limits::kAnswerBytes) return;
  for (size_t i = 0; i < clients_.size(); ++i) {
    if (turn_ == clients_.end()) turn_ = clients_.begin();
    Connection& client = turn_->connection;
    Client& whole = *turn_++;
    if (client.gone() || client.rights() == Rights::kToken || now_ns < client.rest_until_ns)
      continue;
    const auto line = client.next_line();
    if (!line) continue;
    const uint64_t begin_ns = cpu_ns();
    answer(client, *line);
    const uint64_t cost_ns = cpu_ns() - begin_ns, end_ns = monotonic_ns();
    client.rest_until_ns = end_ns + cost_ns * limits::kClientRest;
    rest_until_ns_ = end_ns + cost_ns * limits::kServeRest;
    watch(whole);
    return;
  }
}

void Server::hang_up_on_babble() {
  for (Client& client : clients_) {
    if (!client.connection.too_long()) continue;
    hang_up(client.connection, client.connection.rights() == Rights::kToken ? kNoToken : kTooLong);
  }
}

void Server::forget_gone(uint64_t now_ns) {
  for (auto client = clients_.begin(); client != clients_.end();) {
    if (now_ns >= client->connection.deadline_ns(options_.stuck_ns)) client->connection.drop();
    if (!client->connection.gone()) {
      watch(*client++);
      continue;
    }
    client = forget(client);
  }
}

Server::Clients::iterator Server::forget(Clients::iterator client) {
  if (turn_ == client) ++turn_;
  return clients_.erase(client);
}

size_t Server::waiting() const {
  size_t sum = 0;
  for (const Client& client : clients_) sum += client.connection.waiting();
  return sum;
}

uint64_t Server::due_ns(uint64_t now_ns) const {
  uint64_t due = deaf_until_ns_ > 0 ? deaf_until_ns_ : UINT64_MAX;
  const bool full = waiting() > limits::kAnswerBytes;
  for (const Client& client : clients_) {
    due = std::min(due, client.connection.deadline_ns(options_.stuck_ns));
    if (client.connection.has_line() && !full)
      due = std::min(due, std::max({now_ns, client.connection.rest_until_ns, rest_until_ns_}));
  }
  return due;
}

uint64_t Server::step(uint64_t now_ns) {
  now_ns_ = now_ns;
  listen_again(now_ns);
  handle_events(now_ns);
  hang_up_on_babble();
  answer_next(now_ns);
  forget_gone(now_ns);
  return due_ns(now_ns);
}

}  // namespace compmond::serve
