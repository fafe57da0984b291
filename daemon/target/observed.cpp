// SPDX-License-Identifier: Apache-2.0
#include "target/observed.h"

#include <sys/wait.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"

namespace compmond::target {
namespace {

constexpr size_t kRemembered =
    256;  // processes shown in a snapshot; a fork-heavy server would fill it without end

// A parent that did not collect its child by then may never do.
constexpr uint64_t kCollectedNs = 10'000'000'000;

}  // namespace

void ObservedProcesses::make_room() {
  if (list_.size() < kRemembered) return;
  const auto gone = [](const auto& p) { return !p.alive; };
  // What one used whose time is not complete would be told again.
  auto ended = std::ranges::find_if(list_, [&](const auto& p) { return gone(p) && p.complete; });
  if (ended == list_.end()) ended = std::ranges::find_if(list_, gone);
  if (ended == list_.end()) return;
  ++forgotten_;
  forgotten_cpu_ns_ += ended->cpu_now_ns - ended->cpu_before_ns;
  handles_.erase(handles_.begin() + (ended - list_.begin()));
  list_.erase(ended);
}

bool ObservedProcesses::add(pid_t pid, bool fresh, const std::string& exe) {
  auto process = Process::watch(pid, exe);
  if (!process) {
    if (process.error().code != Exit::kUnavailable)
      add_ended(pid, exe);
    else if (!unfinished(pid) && unwatched_now_.insert(pid).second)
      ++unwatched_;
    return false;
  }
  unwatched_now_.erase(pid);
  for (ObservedProcess& known : list_) {
    if (known.pid != pid || known.start_ns != process->start_ns()) continue;
    if (std::exchange(known.complete, false)) {  // it executed another program meanwhile
      const uint64_t now_ns = process->cpu_time_ns();
      known.cpu_before_ns += now_ns - std::min(now_ns, known.cpu_now_ns);
      known.cpu_now_ns = std::max(now_ns, known.cpu_now_ns);
    }
    return false;
  }
  make_room();
  ObservedProcess out;
  out.pid = pid;
  out.exe = process->exe();
  out.name = process->name();
  out.start_ns = process->start_ns();
  out.cpu_now_ns = process->cpu_time_ns();
  out.cpu_before_ns = fresh ? 0 : out.cpu_now_ns;
  list_.push_back(std::move(out));
  handles_.emplace_back(std::move(*process));
  return true;
}

void ObservedProcesses::add_ended(pid_t pid, const std::string& exe) {
  if (std::any_of(list_.begin(), list_.end(), [pid](const auto& p) { return p.pid == pid; }))
    return;
  put_ended(pid, exe);
}

ObservedProcess& ObservedProcesses::put_ended(pid_t pid, const std::string& exe) {
  make_room();
  ++unmet_;
  ObservedProcess out;
  out.pid = pid;
  out.exe = exe;
  out.alive = false;
  handles_.emplace_back();
  return list_.emplace_back(std::move(out));
}

// Those with its number before it are complete, as each end is told.
ObservedProcess* ObservedProcesses::unfinished(pid_t pid) {
  const auto is_it = [pid](const auto& p) { return p.pid == pid && !p.complete; };
  const auto found = std::find_if(list_.rbegin(), list_.rend(), is_it);
  return found == list_.rend() ? nullptr : &*found;
}

bool ObservedProcesses::on_end(pid_t pid, const std::string& exe, uint64_t cpu_ns, bool complete) {
  unwatched_now_.erase(pid);
  ObservedProcess* known = unfinished(pid);
  ObservedProcess& process = known ? *known : put_ended(pid, exe);
  process.cpu_now_ns = std::max(process.cpu_now_ns, cpu_ns);
  process.complete = complete;
  return known;
}

void ObservedProcesses::refresh() {
  for (size_t i = 0; i < list_.size(); ++i) {
    if (!handles_[i]) continue;
    ObservedProcess& process = list_[i];
    if (!process.complete)
      process.cpu_now_ns = std::max(process.cpu_now_ns, handles_[i]->cpu_time_ns());
    process.alive = handles_[i]->alive();
    if (process.alive) continue;
    const uint64_t now = monotonic_ns();
    if (!process.ended_ns) process.ended_ns = now;
    const auto status = handles_[i]->wait_status();
    if (status && WIFEXITED(*status)) process.exit_status = WEXITSTATUS(*status);
    if (status && WIFSIGNALED(*status)) process.end_signal = WTERMSIG(*status);
    if (status || now - *process.ended_ns > kCollectedNs) handles_[i].reset();
  }
}

void ObservedProcesses::begin() {
  refresh();
  for (ObservedProcess& process : list_) process.cpu_before_ns = process.cpu_now_ns;
}

bool ObservedProcesses::any_alive() const {
  return std::any_of(list_.begin(), list_.end(), [](const auto& p) { return p.alive; });
}

bool ObservedProcesses::alive(pid_t pid) const {
  return std::any_of(list_.begin(), list_.end(),
                     [pid](const auto& p) { return p.pid == pid && p.alive; });
}

uint64_t ObservedProcesses::cpu_used_ns() const {
  uint64_t sum = forgotten_cpu_ns_;
  for (const ObservedProcess& p : list_) sum += p.cpu_now_ns - p.cpu_before_ns;
  return sum;
}

}  // namespace compmond::target
