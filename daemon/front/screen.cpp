// SPDX-License-Identifier: Apache-2.0
#include "front/screen.h"

#include <sys/wait.h>

#include "core/message.h"
#include "core/process_status.h"

namespace compmond::front {

Result<Screen> Screen::prepare(const ServeOptions& options) {
  if (options.headless) return Screen(std::nullopt);
  auto plan = plan_screen();
  if (plan) return Screen(std::move(*plan));
  if (options.ui) return Unexpected(plan.error());
  say(fmt::format("{}: {}; the figures are shown here", plan.error().what, plan.error().why));
  return Screen(std::nullopt);
}

Result<void> Screen::open(ViewServer& server) {
  if (!plan_) return {};
  auto started = ScreenProcess::start(*plan_);
  if (!started) return Unexpected(started.error());
  server.adopt_screen(std::move(started->connection));
  process_.emplace(std::move(started->process));
  return {};
}

Screen::Event Screen::look(const ViewServer& server, uint64_t now_ns) {
  constexpr uint64_t kEndNs = 2'000'000'000;  // from hanging up to the end of its process
  if (!process_) return Event::kNothing;
  const auto status = process_->ended();
  if (!status) {
    if (server.has_screen()) return Event::kNothing;
    if (silent_since_ns_ == 0) silent_since_ns_ = now_ns;
    if (now_ns - silent_since_ns_ < kEndNs) return Event::kNothing;
  }
  process_.reset();
  if (status && WIFEXITED(*status) && WEXITSTATUS(*status) == 0) return Event::kClosed;
  say(status ? "the window " + status_text(*status) + "; the run goes on"
             : "the window does not answer any more; the run goes on");
  return Event::kLost;
}

}  // namespace compmond::front
