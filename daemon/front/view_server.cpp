// SPDX-License-Identifier: Apache-2.0
#include "front/view_server.h"

#include <optional>
#include <utility>

#include "base/address.h"
#include "core/message.h"
#include "figures/metric.h"
#include "serve/run_folder.h"
#include "serve/token.h"

namespace compmond::front {

Result<std::unique_ptr<ViewServer>> ViewServer::open(const ServeOptions& options) {
  std::unique_ptr<ViewServer> out(new ViewServer());
  if (auto listening = out->listen(options); !listening) return Unexpected(listening.error());
  return out;
}

Result<void> ViewServer::listen(const ServeOptions& options) {
  std::vector<serve::Listener> listeners;
  auto own = serve::own_socket_path();
  auto own_listener = own ? serve::Listener::open({*own, "", ""})
                          : Result<serve::Listener>(Unexpected(own.error()));
  if (own_listener) {
    ways_.push_back(own_listener->address());
    listeners.push_back(std::move(*own_listener));
  } else if (options.listen.empty()) {
    say(own_listener.error().text());
  }

  std::string token;
  if (!options.token_file.empty()) {
    auto read = serve::read_token(options.token_file);
    if (!read) return Unexpected(read.error());
    token = std::move(*read);
  }
  if (!options.listen.empty()) {
    const auto address = parse_address(options.listen, "cannot listen there");
    if (!address) return Unexpected(address.error());
    auto listener = serve::Listener::open(*address);
    if (!listener) return Unexpected(listener.error());
    std::string way = listener->address();
    if (token.empty() && listener->beyond_this_host()) {
      auto made = serve::new_token();
      if (!made) return Unexpected(made.error());
      token = std::move(*made);
      way += " --token " + token;
    } else if (!token.empty() && !listener->local()) {
      way += fmt::format(" --token \"$(cat {})\"", options.token_file);
    }
    ways_.push_back(std::move(way));
    listeners.push_back(std::move(*listener));
  }
  if (auto done = have_removed(listeners); !done) return done;
  auto server = serve::Server::open(*this, {token});
  if (!server) return Unexpected(server.error());
  server_ = std::move(*server);
  for (serve::Listener& listener : listeners)
    if (auto listening = server_->listen(std::move(listener)); !listening) return listening;
  return {};
}

// The right to remove them is given up before their time has come.
Result<void> ViewServer::have_removed(const std::vector<serve::Listener>& listeners) {
  std::vector<guard::Remover::Name> names;
  for (const serve::Listener& one : listeners)
    if (one.local()) names.push_back({*one.place(), one.inode()});
  if (names.empty()) return {};
  auto remover = guard::Remover::start(names);
  if (!remover) return Unexpected(std::move(remover.error()));
  remover_.emplace(std::move(*remover));
  return {};
}

void ViewServer::show(Run& run, WriteSnapshot write_snapshot) {
  run_ = &run;
  write_snapshot_ = std::move(write_snapshot);
}

void ViewServer::announce() const {
  for (const std::string& way : ways_) say("window: compmond-ui --connect " + way);
}

snapshot::Hello ViewServer::hello() {
  snapshot::Hello out;
  out.version = COMPMOND_VERSION;
  out.spec_name = run_->spec_name();
  for (const auto& metric : figures::metrics())
    out.metrics.push_back({std::string(metric->name()), std::string(metric->description()),
                           metric->basis() == figures::Basis::kCalls});
  return out;
}

Result<snapshot::View> ViewServer::view(const snapshot::ViewRequest& request) {
  return run_->view(request);
}

Result<std::string> ViewServer::control(const snapshot::ControlRequest& request) {
  using snapshot::Action;
  const Word<Action>& action = request.action;
  if (!action.known())
    return fail(Exit::kData, "cannot do this",
                fmt::format("there is no action '{}'", action.text().substr(0, 60)),
                "There are 'stop', 'snapshot' and 'record', of a live run 'enable', 'disable', "
                "'pause-probes' and 'resume-probes', and of a replay 'pause', 'play', 'step' and "
                "'seek'.");
  const bool is_of_replay = action == Action::kPause || action == Action::kPlay ||
                            action == Action::kStep || action == Action::kSeek;
  const bool takes_target = action == Action::kEnable || action == Action::kDisable;
  if (!takes_target && !request.target.empty())
    return fail(Exit::kData, "cannot do this", fmt::format("'{}' takes no target", action.text()));
  if (!is_of_replay && request.value)
    return fail(Exit::kData, "cannot do this", fmt::format("'{}' takes no value", action.text()));
  if (action == Action::kSnapshot) return write_snapshot_();
  if (action == Action::kRecord) return run_->save_recording();
  if (action != Action::kStop) return run_->control(request);
  stop_asked_ = true;
  return "compmond ends";
}

}  // namespace compmond::front
