// SPDX-License-Identifier: Apache-2.0
#include "patient/leftovers.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "patient/patient.h"
#include "surgery/detour.h"
#include "surgery/stopped_threads.h"
#include "target/proc_folder.h"

namespace compmond::inprocess {
namespace {

// Exit::kNoInput: it has ended, or is the kernel's. Exit::kNoPermission.
Result<std::vector<Undo>> undo_of(pid_t pid) {
  const auto space = AddressSpace::of(pid);
  if (!space) return Unexpected(space.error());
  if (space->empty())
    return fail(Exit::kNoInput, fmt::format("process {} is gone", pid), "it has no memory");
  if (space->private_memory(Undo::kBytes).empty()) return {};
  const auto memory = ProcessMemory::open(pid);
  if (!memory) return Unexpected(memory.error());
  return Undo::find(*space, *memory);
}

// What people started: who patches is a child of it.
pid_t begun_by(pid_t owner) {
  const auto stat = target::read_stat(fmt::format("/proc/{}", owner));
  return stat && stat->parent > 1 ? stat->parent : owner;
}

// Nobody traces it: whoever sent a thread on a detour did, and died.
bool has_left_detour(pid_t pid) {
  const auto space = AddressSpace::of(pid);
  if (!space || space->empty() || target::tracer_of(pid) != 0) return false;
  const auto memory = ProcessMemory::open(pid);
  return memory && !space->detours(*memory).empty();
}

// Those that a thread is on it leaves within about a second.
Result<size_t> take_detours_away(pid_t pid, const AddressSpace& space,
                                 const ProcessMemory& memory) {
  constexpr int kTries = 200;
  constexpr useconds_t kBetween = 10'000;  // µs
  const std::vector<Slack> all = space.detours(memory);
  for (const Slack& slack : all)
    for (int tries = 0;; ++tries, ::usleep(kBetween)) {
      const auto threads = StoppedThreads::stop_all(pid);
      if (!threads) return Unexpected(threads.error());
      if (!holds_detour(memory, slack) || take_detour_away(*threads, memory, slack)) break;
      if (tries == kTries)
        return fail(Exit::kUnavailable, fmt::format("process {} is not as it was", pid),
                    "a thread does not leave code of ours that it makes system calls by");
    }
  return all.size();
}

}  // namespace

LeftBehind left_behind() {
  LeftBehind out;
  target::for_each_id("/proc", [&](pid_t pid) {
    const auto all = undo_of(pid);
    const auto is_left = [](const Undo& undo) { return !undo.header.owner.lives(); };
    if (all && (std::ranges::any_of(*all, is_left) || has_left_detour(pid))) out.in.push_back(pid);
    if (!all && all.error().code == Exit::kNoPermission) ++out.not_seen;
    return true;
  });
  return out;
}

LeftIn leave_ours_in(pid_t pid, const UndoOwner& owner) {
  LeftIn out;
  const auto all = undo_of(pid);
  if (!all && all.error().code == Exit::kNoInput) out.done = Unexpected(all.error());
  if (!all) return out;
  for (const Undo& undo : *all) {
    if (undo.header.owner != owner) continue;
    out.any = true;
    auto patient = Patient::left_behind(pid, undo);
    out.done = patient ? patient->leave() : Unexpected(patient.error());
    if (!out.done) break;
  }
  return out;
}

Result<size_t> restore(pid_t pid) {
  const auto space = AddressSpace::of(pid);
  if (!space) {
    const bool gone = space.error().code == Exit::kNoInput;
    return fail(space.error().code, fmt::format("cannot look into process {}", pid),
                gone ? "there is none" : "it is not for this user to see",
                gone ? "" : "Run it as root: sudo compmond restore.");
  }
  const auto memory = ProcessMemory::open(pid);
  if (!memory) return Unexpected(memory.error());
  const std::vector<Undo> all = Undo::find(*space, *memory);
  for (const Undo& undo : all)
    if (undo.header.owner.lives())
      return fail(Exit::kUnavailable, fmt::format("process {} is patched", pid),
                  fmt::format("by a compmond that is at work (process {})",
                              begun_by(undo.header.owner.pid)),
                  "End that compmond: it puts everything back.");
  auto out = take_detours_away(pid, *space, *memory);
  if (!out) return out;
  for (const Undo& undo : all) {
    auto left = Patient::left_behind(pid, undo);
    if (!left) return Unexpected(left.error());
    if (auto done = left->leave(); !done) return Unexpected(done.error());
    *out += undo.header.changes;
  }
  return out;
}

}  // namespace compmond::inprocess
