// SPDX-License-Identifier: Apache-2.0
// Whether the probes stand in the memory of processes, and what is done where they do not.
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "run/control_side.h"

namespace compmond::run {
namespace {

bool any_readable(const std::vector<int>& fds) {
  std::vector<pollfd> polls;
  for (const int fd : fds) polls.push_back({fd, POLLIN, 0});
  return ::poll(polls.data(), polls.size(), 0) > 0;
}

}  // namespace

void ControlSide::keep_standing() {
  const uint64_t now = monotonic_ns();
  act_on(watch_.look_at_libraries(now, alive(), states_, [this](size_t op, pid_t pid) {
    return states_[op].attached() &&
           captures_.by_process(plan::way_of(parts_.resolved.plan, states_, op)) &&
           placement_.hangs(op, pid);
  }));
  if (!watch_.due(now)) return;
  // Those that a slice has are gone soon, and may be there without their ends.
  act_on(watch_.look(
      now, alive(), states_,
      [this](size_t op, pid_t pid) { return states_[op].attached() && placement_.hangs(op, pid); },
      [this] { return any_readable(captures_.alarm_fds()); }));
  for (std::string& note : check_.take_notes()) parts_.notes.add(std::move(note));
}

// What is missing is placed again, where that holds; what was changed is left alone.
void ControlSide::act_on(const std::vector<intact::Watch::Finding>& findings) {
  constexpr int kTries = 3;  // each takes others' probes away for a moment
  std::vector<size_t> gone;
  for (const intact::Watch::Finding& one : findings) {
    const std::string& name = parts_.resolved.plan.operations[one.operation].name;
    Fallen& fallen = fallen_[one.operation];
    const bool again = std::ranges::find(gone, one.operation) != gone.end();
    if (states_[one.operation].refused() || (again && !one.changed)) continue;
    const uint64_t now = monotonic_ns();
    states_.missed(one.operation, {std::max(one.stood_ns, fallen.until_ns), now});
    fallen.until_ns = now;
    if (one.changed) {
      const std::string reason =
          fmt::format("process {} changed its code in memory while it was observed", one.pid);
      states_.refuse_from(now, one.operation, reason);
      parts_.notes.add(
          fmt::format("{} is not observed any more: {}; calls up to 2 s, and a round "
                      "of all processes, before are not known",
                      name, reason));
    } else if (++fallen.times > kTries) {
      if (fallen.times == kTries + 1)
        parts_.notes.add(
            fmt::format("the probe of {} in process {} does not stand for long: its "
                        "calls are at least those that were counted",
                        name, one.pid));
      continue;
    } else if (one.unloaded) {
      parts_.notes.add(
          fmt::format("process {} unloaded the library of {}: its calls are seen again from {} ms "
                      "after it is loaded the next time, and those before were missed",
                      one.pid, name, 20));
    } else {
      parts_.notes.add(
          fmt::format("the probe of {} was gone from the memory of process {} (code mapped anew, "
                      "or a debugger's breakpoint deleted there): it is placed again, and calls "
                      "before were missed",
                      name, one.pid));
    }
    gone.push_back(one.operation);
  }
  place_anew(std::move(gone));
}

// Before its time.
void ControlSide::end_slice() {
  if (!slicer_ || !slicer_->in_slice()) return;
  slicer_->end_slice();
  alarms_since_ns_ = monotonic_ns();  // of its probes
}

// Takes away what is refused or is not there by now, and places the others again.
void ControlSide::place_anew(std::vector<size_t> gone) {
  if (gone.empty()) return;
  end_slice();  // else it would lose probes that count as there
  const uint64_t begin = monotonic_ns();
  const std::vector<size_t> others = placement_.hang_with(gone);
  gone.insert(gone.end(), others.begin(), others.end());
  pipeline_->begin_change(begin, {gone.begin(), gone.end()});
  placement_.take_away(gone);
  pipeline_->close_open();
  std::erase_if(gone, [this](size_t i) { return !states_[i].attached(); });
  if (const std::string lack = copied_.lacking_for(gone, {processes(), bystanders_}); !lack.empty())
    for (const size_t i : std::exchange(gone, {})) states_.refuse_from(begin, i, lack);
  if (const auto placed = placement_.place_anew(gone); !placed)
    parts_.notes.add("probes could not be placed again: " + placed.error().text());
  pipeline_->end_change();
  for (const size_t i : gone) states_.missed(i, {begin, monotonic_ns()});
}

}  // namespace compmond::run
