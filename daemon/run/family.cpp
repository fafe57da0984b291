// SPDX-License-Identifier: Apache-2.0
#include "run/family.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "target/narrowing.h"
#include "target/proc_folder.h"
#include "target/process.h"

namespace compmond::run {

Result<void> Family::adopt() {
  for (const target::Process& process : given_.processes())
    if (auto added = adopt(process.pid(), process.exe()); !added) return Unexpected(added.error());
  if (!asked_.children && !given_.by_exe()) return {};
  // Again until nothing is found: one that is not followed yet may fork between being listed and
  // being added.
  for (;;) {
    const auto found = adopt_newly_found();
    if (!found) return Unexpected(found.error());
    if (*found == 0) break;
  }
  for (const target::ObservedProcess& process : processes_.all()) look_whose(process.pid);
  return {};
}

// With --exe, whoever runs the program is observed: that others do is said, but not of what the
// observed processes fork, as a server's workers.
void Family::look_whose(pid_t pid) {
  if (!given_.by_exe() || given_.narrowing().user) return;
  const auto user = target::user_of(pid);
  const auto stat = target::read_stat(fmt::format("/proc/{}", pid));
  if (!user || !stat || watched_.has(stat->parent)) return;
  if (users_.insert(*user).second && users_.size() > 1)
    notes_.add(fmt::format(
        "processes of several users are observed: process {} is of {}, others of {} (--user NAME "
        "takes those of one)",
        pid, target::name_of_user(*user),
        target::name_of_user(*users_.begin() == *user ? *users_.rbegin() : *users_.begin())));
}

// False where it ended since it was found, unless its number was asked for.
Result<bool> Family::adopt(pid_t pid, const std::string& exe) {
  if (auto added = watched_.add(pid); !added) {
    const bool asked = std::ranges::count(asked_.pids, pid) > 0;
    if (added.error().code == Exit::kNoInput && !asked) return false;
    if (added.error().code == Exit::kUnavailable && !asked) {
      not_adopted_.insert(pid);
      return false;
    }
    return Unexpected(added.error());
  }
  add(pid, false, exe);
  return true;
}

// As ObservedProcesses::add. One that cannot be watched gets no probes of its own.
bool Family::add(pid_t pid, bool fresh, const std::string& exe) {
  const uint64_t unwatched = processes_.unwatched();
  const bool added = processes_.add(pid, fresh, exe);
  if (processes_.unwatched() > unwatched)
    unmet_.push_back({watched_.since(pid).value_or(monotonic_ns()), UINT64_MAX});
  return added;
}

Result<size_t> Family::adopt_newly_found() {
  std::set<pid_t> descendants;  // each look for those of one process reads all of /proc
  if (!given_.by_exe())
    for (const target::Process& process : given_.processes())
      for (const pid_t pid : target::descendants(process.pid())) descendants.insert(pid);
  size_t found = 0;
  for (const prepare::TargetSet::Program& program : given_.programs())
    for (const pid_t pid : target::processes_of(program.device, program.inode)) {
      const bool family =
          given_.by_exe() ? given_.narrowing().admits(pid) : descendants.count(pid) != 0;
      if (!family || watched_.has(pid)) continue;
      const auto adopted = adopt(pid, program.exe);
      if (!adopted) return Unexpected(adopted.error());
      if (*adopted) ++found;
    }
  return found;
}

// Of a process that a target forked, which has its parent's program: without rights nobody can ask
// it for its own. Empty where that cannot be told any more.
std::string Family::exe_of(pid_t pid) const {
  const auto& programs = given_.programs();
  if (programs.size() == 1) return programs.front().exe;
  const auto stat = target::read_stat(fmt::format("/proc/{}", pid));
  if (!stat) return {};
  const auto parent =
      std::ranges::find(processes_.all(), stat->parent, &target::ObservedProcess::pid);
  return parent == processes_.all().end() ? std::string() : parent->exe;
}

// Whether it is new, and there.
bool Family::meet(pid_t pid) {
  if (watched_.has(pid)) return add(pid, true, exe_of(pid));
  processes_.add_ended(pid, exe_of(pid));  // it ended already; its number may be another's by now
  return false;
}

void Family::take_ends() {
  const uint64_t before_ns = std::exchange(looked_ns_, monotonic_ns());
  for (const engine::TargetEnd& end : watched_.take_ends())
    if (!processes_.on_end(end.pid, exe_of(end.pid), end.cpu_ns, end.complete))
      unmet_.push_back({end.since_ns, looked_ns_});
  const uint64_t untold = watched_.untold_ends();
  if (std::exchange(untold_ends_, untold) != untold) unmet_.push_back({before_ns, looked_ns_});
}

std::vector<pid_t> Family::look(std::span<const pid_t> arrived) {
  std::vector<pid_t> out;
  take_ends();
  for (const pid_t pid : arrived)
    if (meet(pid)) out.push_back(pid);
  for (const pid_t pid : out) look_whose(pid);
  processes_.refresh();
  if (given_.by_exe() || processes_.any_alive()) return out;
  // A fork of theirs may still be on its way to us (a daemon going to the background).
  for (const pid_t pid : watched_.all()) {
    const auto process = target::Process::watch(pid, {});  // of its files none is needed
    if (process && meet(pid)) out.push_back(pid);
    if (!process && process.error().code == Exit::kNoInput) watched_.remove(pid);
  }
  return out;
}

std::vector<std::string> Family::notes() const {
  std::vector<std::string> out;
  if (const uint64_t times = without_place(); times > 0)
    out.push_back(fmt::format(
        "{} a process of this program found no place beside those that are observed: it is not "
        "observed then, nor what it forks, and figures are at least what is shown; observe fewer "
        "(--user, --cgroup, --pid with --no-children)",
        times == 1 ? "once" : fmt::format("{} times", times)));
  if (const uint64_t count = processes_.unwatched(); count > 0)
    out.push_back(fmt::format(
        "{} came when compmond had no descriptor left for another one: calls into files that are "
        "probed process by process are not counted there, and CPU time only once it has ended. "
        "Raise the limit of open files (ulimit -n)",
        count == 1 ? "a process" : fmt::format("{} processes", count)));
  if (untold_ends_ > 0)
    out.push_back(fmt::format(
        "{} ended so soon after one another that compmond was told no more of them: the CPU time "
        "that they used is not known, and their calls are not where they ended before probes could "
        "be placed",
        untold_ends_ == 1 ? "a process" : fmt::format("{} processes", untold_ends_)));
  return out;
}

bool Family::lives() const {
  return given_.by_exe() || processes_.any_alive() || !watched_.all().empty();
}

// A server that works in children it forks: probes must be in place when a child begins.
Placement::Program Family::program() const {
  if (given_.by_exe()) return Placement::Program::kAllProcesses;
  const bool forks = processes_.all().size() > asked_.pids.size();
  return asked_.children && forks ? Placement::Program::kServer : Placement::Program::kAsOthers;
}

std::vector<pid_t> Family::bystanders(uint64_t device, uint64_t inode) const {
  if (program() == Placement::Program::kAsOthers) return {};
  std::vector<pid_t> out = target::processes_mapping(device, inode);
  std::erase_if(out, [this](pid_t pid) { return watched_.has(pid); });
  return out;
}

}  // namespace compmond::run
