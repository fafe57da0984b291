// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "front/options.h"
#include "serve/server.h"
#include "snapshot/view.h"

namespace compmond::front {

// What clients look at: a live run or a replayed one.
struct Viewed {
  std::function<std::string()> spec_name;
  std::function<Result<snapshot::View>(const snapshot::ViewRequest&)> view;
  std::function<Result<std::string>()> write_snapshot;  // tells where
  std::function<Result<std::string>()> save_recording;  // likewise
  // "pause", "play", "step" and "seek", of a replay; none: a live run, which takes no such thing.
  std::function<Result<std::string>(const snapshot::ControlRequest&)> move;
};

// The sockets of a run: its own one in the run folder, the one of --listen, and the window's.
class ViewServer : private serve::Answers {
 public:
  // Fails where --listen cannot be satisfied; that the run folder's socket cannot be had is only
  // said.
  static Result<std::unique_ptr<ViewServer>> open(const ServeOptions& options, Viewed viewed);

  // Tells people where to connect.
  void announce() const;
  void adopt_window(Fd connection) { server_->adopt(std::move(connection)); }
  bool has_window() const { return server_->has_adopted(); }
  // As of serve::Server.
  const Fd& fd() const { return server_->fd(); }
  uint64_t step(uint64_t now_ns) { return server_->step(now_ns); }
  bool stop_asked() const { return stop_asked_; }  // by a client

 private:
  explicit ViewServer(Viewed viewed) : viewed_(std::move(viewed)) {}
  Result<void> listen(const ServeOptions& options);
  snapshot::Hello hello() override;
  Result<snapshot::View> view(const snapshot::ViewRequest& request) override;
  Result<std::string> control(const snapshot::ControlRequest& request) override;

  Viewed viewed_;
  std::unique_ptr<serve::Server> server_;
  std::vector<std::string> ways_;  // to connect, as arguments of compmond-ui
  bool stop_asked_ = false;
};

}  // namespace compmond::front
