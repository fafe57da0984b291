// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "front/options.h"
#include "front/screen_process.h"
#include "front/view_server.h"

namespace compmond::front {

// the screen that compmond opens by itself: whether there is to be one, and what became of it.
class Screen {
 public:
  // Decides before anything is attached. Where there is to be a screen if possible and it is not,
  // says why once; with --ui that is an error.
  static Result<Screen> prepare(const ServeOptions& options);

  // Opens it, where there is to be one, as a client of `server`.
  Result<void> open(ViewServer& server);

  enum class Event { kNothing, kClosed, kLost };
  // What happened since the last call: the user closed it, or it ended otherwise (said already).
  Event look(const ViewServer& server, uint64_t now_ns);
  bool is_planned() const { return plan_.has_value(); }
  bool is_open() const { return process_.has_value(); }

 private:
  explicit Screen(std::optional<ScreenPlan> plan) : plan_(std::move(plan)) {}
  std::optional<ScreenPlan> plan_;
  std::optional<ScreenProcess> process_;
  uint64_t silent_since_ns_ = 0;  // its connection has ended
};

}  // namespace compmond::front
