// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "front/options.h"
#include "front/run.h"
#include "guard/remover.h"
#include "protocol/protocol.h"
#include "protocol/view.h"
#include "serve/server.h"

namespace compmond::front {

// The sockets of a run: its own one in the run folder, the one of --listen, and the screen's.
class ViewServer : private serve::Answers {
 public:
  // Fails where --listen cannot be satisfied; that the run folder's socket cannot be had is only
  // said.
  static Result<std::unique_ptr<ViewServer>> open(const ServeOptions& options);

  // What clients look at, and what writes a snapshot of it and tells where. Before anything below;
  // both must outlive this.
  using WriteSnapshot = std::function<Result<std::string>()>;
  void show(Run& run, WriteSnapshot write_snapshot);

  // Tells people where to connect.
  void announce() const;
  void adopt_screen(Fd connection) { server_->adopt(std::move(connection)); }
  bool has_screen() const { return server_->has_adopted(); }
  // As of serve::Server.
  const Fd& fd() const { return server_->fd(); }
  uint64_t step(uint64_t now_ns) { return server_->step(now_ns); }
  void part(const std::string& why) { server_->part(why); }
  bool stop_asked() const { return stop_asked_; }  // by a client

 private:
  ViewServer() = default;
  Result<void> listen(const ServeOptions& options);
  Result<void> have_removed(const std::vector<serve::Listener>& listeners);
  snapshot::Hello hello() override;
  Result<snapshot::View> view(const snapshot::ViewRequest& request) override;
  Result<std::string> control(const snapshot::ControlRequest& request) override;

  Run* run_ = nullptr;
  WriteSnapshot write_snapshot_;
  std::optional<guard::Remover> remover_;  // of the sockets' names; goes after them
  std::unique_ptr<serve::Server> server_;
  std::vector<std::string> ways_;  // to connect, as arguments of compmond-ui
  bool stop_asked_ = false;
};

}  // namespace compmond::front
