// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "core/limits.h"
#include "serve/answers.h"
#include "serve/connection.h"
#include "serve/listener.h"
#include "serve/origin.h"
#include "serve/peer.h"

namespace compmond::serve {

// Listens, reads requests, sends answers (docs/protocol.md). Never blocks: its owner polls fd() and
// calls step(), which makes one answer at most, so nothing else waits for longer than that takes.
// Clients are answered in turn and rest between answers, so that all of them together take half a
// core at most. What is too much, too slow or no request is refused and dropped. Who has to show a
// token first is a stranger until then and takes nobody's place but another stranger's. One thread.
class Server {
 public:
  struct Options {
    std::string token;  // what clients over TCP have to show first; empty: none, and they may look
                        // only
    uint64_t stuck_ns = limits::kStuckNs;  // shorter for tests
  };
  // `answers` must outlive the server.
  static Result<std::unique_ptr<Server>> open(Answers& answers, Options options);

  Result<void> listen(Listener listener);
  // A client that is connected already, with the right to control: the screen that we started.
  void adopt(Fd connected);
  // Whether the adopted client is still there.
  bool has_adopted() const;

  // Readable when step() has something to do.
  const Fd& fd() const { return epoll_; }
  // Does what is due at `now_ns` (CLOCK_MONOTONIC). Returns when it wants to be called again though
  // fd() tells of nothing; UINT64_MAX: not at all.
  uint64_t step(uint64_t now_ns);

  // Tells all but strangers that compmond ends, and why, and hangs up; who has not taken its answer
  // may not hear it.
  void part(const std::string& why);

  size_t clients() const { return clients_.size(); }

 private:
  struct Client {
    Connection connection;
    bool adopted = false;
    std::optional<Origin> origin;  // over a port
    uint32_t watched = 0;          // what epoll tells of it now
  };
  using Clients = std::list<Client>;

  Server(Answers& answers, Options options, Fd epoll);
  void accept(const Listener& listener, uint64_t now_ns);
  void admit(Fd socket, std::optional<Origin> origin, uint64_t now_ns);
  void add(Fd socket, Connection::Rights rights, bool adopted, std::optional<Origin> origin,
           uint64_t now_ns);
  void refuse(Fd socket, const std::string& why);
  void handle_events(uint64_t now_ns);
  void answer_next(uint64_t now_ns);
  void answer_stranger(Client& stranger, const std::string& line);
  void answer(Connection& client, const std::string& line);
  void hang_up(Connection& client, const std::string& why);
  void reply(Connection& client, const snapshot::Refusal& refusal);
  void hang_up_on_babble();
  void forget_gone(uint64_t now_ns);
  Clients::iterator forget(Clients::iterator client);
  // Strangers (strangers.cpp).
  size_t strangers() const;
  bool room_for_member(bool over_port) const;
  void hear(Client& stranger);
  void make_room_for_stranger(const Origin& from);
  Clients::iterator dispensable(const Origin& from);
  void watch(Client& client);
  void listen_again(uint64_t now_ns);
  uint64_t due_ns(uint64_t now_ns) const;
  size_t waiting() const;

  Answers& answers_;
  Options options_;
  const Guests guests_;
  Fd epoll_;
  std::vector<Listener> listeners_;
  uint64_t deaf_until_ns_ = 0;  // nothing is accepted before: no descriptor was free
  Clients clients_;
  Clients::iterator turn_;      // whose turn is next
  uint64_t rest_until_ns_ = 0;  // no answer to anyone before
  uint64_t now_ns_ = 0;         // of the current step
};

}  // namespace compmond::serve
