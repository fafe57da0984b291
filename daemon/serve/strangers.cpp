// SPDX-License-Identifier: Apache-2.0
// Who has to show a token and has not yet: up to limits::kStrangers, beside all others.
#include <algorithm>
#include <map>

#include "serve/server.h"

namespace compmond::serve {
namespace {

bool is_stranger(const Connection& connection) {
  return connection.rights() == Connection::Rights::kToken;
}

}  // namespace

size_t Server::strangers() const {
  return size_t(std::ranges::count_if(
      clients_, [](const Client& client) { return is_stranger(client.connection); }));
}

bool Server::room_for_member(bool over_port) const {
  size_t members = 0, over_ports = 0;
  for (const Client& client : clients_) {
    if (is_stranger(client.connection)) continue;
    ++members;
    if (client.origin) ++over_ports;
  }
  return members < limits::kClients && (!over_port || over_ports < limits::kClientsTcp);
}

// At once, not in turn: who shows the token waits for nobody else, and a line is short.
void Server::hear(Client& stranger) {
  Connection& connection = stranger.connection;
  while (is_stranger(connection) && !connection.gone()) {
    const auto line = connection.next_line();
    if (!line) return;
    answer_stranger(stranger, *line);
  }
}

// Of the address that would have most, the one that came first, those that were hung up on before
// all others.
Server::Clients::iterator Server::dispensable(const Origin& from) {
  std::map<Origin, size_t> counts{{from, 1}};
  for (const Client& client : clients_)
    if (is_stranger(client.connection)) ++counts[*client.origin];
  size_t most = 0;
  for (const auto& [origin, count] : counts) most = std::max(most, count);
  auto first = clients_.end();
  for (auto client = clients_.begin(); client != clients_.end(); ++client) {
    if (!is_stranger(client->connection)) continue;
    if (client->connection.closing()) return client;
    if (first == clients_.end() && counts[*client->origin] == most) first = client;
  }
  return first;
}

// Nobody goes whose token is there already and only was not read.
void Server::make_room_for_stranger(const Origin& from) {
  while (strangers() >= limits::kStrangers) {
    const auto client = dispensable(from);
    if (!client->connection.closing()) {
      client->connection.receive();
      hear(*client);
      if (!is_stranger(client->connection)) {
        watch(*client);
        return;
      }
    }
    forget(client);
  }
}

}  // namespace compmond::serve
