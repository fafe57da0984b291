// SPDX-License-Identifier: Apache-2.0
// Probes in processes that come and go while others are observed.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "placing/placement.h"
#include "text/numbers.h"

namespace compmond::run {

void Placement::place_in_newcomer(pid_t pid) {
  later_.await_those_that_fell(pid, monotonic_ns());
  std::string counted;  // an image of it whose calls are
  bool over = false;
  const uint64_t since_ns = captures_.targets().since(pid).value_or(0);
  for (int image = 0; size_t(image) < plan_.images.size(); ++image) {
    const std::vector<size_t> operations = operations_of({image, pid});
    if (operations.empty() && !apart(image)) continue;
    const auto done = attach({image, pid});
    const bool gone = !done && done.error().code == Exit::kNoInput;
    const std::string& path = plan_.images[size_t(image)].path;
    const Window missed{since_ns, done || gone ? monotonic_ns() : UINT64_MAX};
    bool all_inherited = true;
    for (const size_t i : operations) {
      if (done && inherits(i, pid)) continue;
      states_.unseen(i, missed);
      all_inherited = false;
    }
    if (!holds_operations(image) || (done && all_inherited && !operations.empty())) continue;
    if (done && counted.empty()) counted = path;
    over |= gone;
    if (!done && !gone)
      notes_.add_of(fmt::format("calls into {} of ", path), pid,
                    " are not counted: " + done.error().text());
  }
  if (over) ++over_too_soon_;
  if (!counted.empty())
    notes_.add_of(
        "", pid,
        fmt::format(" came while observing: calls into {} before probes were placed there "
                    "are not counted",
                    counted));
  if (const auto placed = place_displaced(); !placed)
    notes_.add("probes could not be placed: " + placed.error().text());
}

bool Placement::inherits(size_t operation, pid_t pid) const {
  return std::ranges::any_of(hung_, [&](const Hung& one) {
    return one.placed->scope().pid == pid && one.placed->inherited() && one.has({&operation, 1});
  });
}

void Placement::executed(pid_t pid, uint64_t at_ns) {
  later_.await_those_that_fell(pid, monotonic_ns());
  for (int image = 0; size_t(image) < plan_.images.size(); ++image) {
    const std::vector<size_t> operations = operations_of({image, pid});
    const bool in_memory = std::ranges::any_of(operations, [this](size_t i) {
      return captures_.by_process(plan::way_of(plan_, states_, i));
    });
    if (!in_memory) continue;
    engine::take_away(release([&](const Hung& one) {
      return one.placed->scope().pid == pid && one.placed->scope().image == image;
    }));
    const auto done = attach({image, pid});
    const bool gone = !done && done.error().code == Exit::kNoInput;
    const Window missed{at_ns, done || gone ? monotonic_ns() : UINT64_MAX};
    for (const size_t i : operations) states_.unseen(i, missed);
    if (done || gone) continue;
    notes_.add_of("", pid,
                  fmt::format(" executed a program: calls into {} since are not counted there: {}",
                              plan_.images[size_t(image)].path, done.error().text()));
  }
}

// Those that go on by another way, as nobody had loaded them, go on by this one elsewhere.
LaterLoads::Ways Placement::place_where_loaded(uint64_t now_ns) {
  LaterLoads::Ways out;
  const auto loads = later_.look(now_ns, [this](pid_t pid) { return processes_.alive(pid); });
  for (const auto& [where, awaited] : loads) {
    const engine::Scope scope{where.second, where.first};
    std::vector<size_t> here;
    for (const auto& [i, way] : awaited.ways) {
      const plan::OperationState& state = states_[i];
      const bool moves = state.way != way && !state.is_off();
      if (state.refused()) continue;
      if (moves)
        out[i] = way;
      else if (!state.attached())
        later_.await(scope, i, way, now_ns);
      else if (!hangs(i, scope.pid))
        here.push_back(i);
    }
    if (!here.empty()) place_loaded(scope, here, awaited.since_ns);
  }
  if (const auto placed = place_displaced(); !placed)
    notes_.add("probes could not be placed: " + placed.error().text());
  return out;
}

void Placement::place_loaded(engine::Scope scope, const std::vector<size_t>& operations,
                             uint64_t since_ns) {
  const auto done =
      attach(scope, without_changed(scope, operations), plan::See::kCalls, Hang::kApart);
  if (!done && done.error().code == Exit::kNoInput) return;  // it ended meanwhile
  const uint64_t end_ns = monotonic_ns();
  bool any = !done;
  for (const size_t i : operations) {
    if (done && !hangs(i, scope.pid)) continue;
    states_.unseen(i, {since_ns, done ? end_ns : UINT64_MAX});
    any = true;
  }
  if (!any || (done && !later_.is_first(scope.image))) return;
  const std::string what = fmt::format("process {} loaded {} while observing: calls", scope.pid,
                                       plan_.images[size_t(scope.image)].path);
  notes_.add(done
                 ? fmt::format("{} before its functions were patched, in up to {}, are not counted",
                               what, text::duration(double(end_ns - since_ns)))
                 : fmt::format("{} are not counted: {}", what, done.error().text()));
}

void Placement::miss(Window when) { states_.unseen(plan_, per_process_images_, when); }

std::vector<std::string> Placement::notes() const {
  std::vector<std::string> out = not_observed_.notes(plan_, states_);
  std::string images, patched;
  for (int image = 0; size_t(image) < plan_.images.size(); ++image) {
    std::string& to = apart(image) ? images : patched;
    if (holds_operations(image) && (apart(image) || any_singly(image)))
      to += (to.empty() ? "" : ", ") + plan_.images[size_t(image)].path;
  }
  const bool one = over_too_soon_ == 1;
  if (over_too_soon_ > 0 && !patched.empty())
    out.push_back(fmt::format(
        "{} ended before anybody could look at {}: {} calls into {} are counted where a patched "
        "one forked {}, and may be missing else",
        one ? "a process" : fmt::format("{} processes", over_too_soon_), one ? "it" : "them",
        one ? "its" : "their", patched, one ? "it" : "them"));
  const uint64_t missed = processes_.unmet() + over_too_soon_;
  if (missed == 0 || images.empty()) return out;
  out.push_back(fmt::format(
      "{} came, and ended or executed another program, before probes could be placed: calls into "
      "{} are not counted there, since other programs may use that too and it is probed process by "
      "process",
      missed == 1 ? "a process" : fmt::format("{} processes", missed), images));
  return out;
}

void Placement::let_go_of_ended() {
  constexpr auto kNow = std::chrono::seconds(0);
  if (detaching_.valid() && detaching_.wait_for(kNow) != std::future_status::ready) return;
  auto ended = release([&](const Hung& one) {
    const pid_t pid = one.placed->scope().pid;
    return pid != 0 && !processes_.alive(pid);
  });
  if (ended.empty()) return;
  // Deferred where there is no room for a thread.
  detaching_ = std::async(std::launch::async | std::launch::deferred, engine::take_away,
                          std::move(ended), engine::StepsDone());
  if (detaching_.wait_for(kNow) == std::future_status::deferred) detaching_.get();
}

}  // namespace compmond::run
