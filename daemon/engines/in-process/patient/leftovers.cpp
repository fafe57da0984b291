// SPDX-License-Identifier: Apache-2.0
#include "patient/leftovers.h"

#include <fmt/format.h>

#include "patient/patient.h"
#include "target/proc_folder.h"

namespace compmond::inprocess {
namespace {

std::vector<Undo> undo_of(pid_t pid) {
  const auto space = AddressSpace::of(pid);
  if (!space || space->private_memory(Undo::kBytes).empty()) return {};
  const auto memory = ProcessMemory::open(pid);
  return memory ? Undo::find(*space, *memory) : std::vector<Undo>();
}

}  // namespace

std::vector<pid_t> left_in() {
  std::vector<pid_t> out;
  target::for_each_id("/proc", [&](pid_t pid) {
    for (const Undo& undo : undo_of(pid))
      if (!undo.header.owner.lives()) {
        out.push_back(pid);
        break;
      }
    return true;
  });
  return out;
}

bool leave_ours_in(pid_t pid, const UndoOwner& owner) {
  bool none = true;
  for (const Undo& undo : undo_of(pid)) {
    if (undo.header.owner != owner) continue;
    none = false;
    if (auto left = Patient::left_behind(pid, undo)) (void)left->leave();
  }
  return none;
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
  size_t out = 0;
  for (const Undo& undo : Undo::find(*space, *memory)) {
    if (undo.header.owner.lives())
      return fail(
          Exit::kUnavailable, fmt::format("process {} is patched", pid),
          fmt::format("by a compmond that is at work (process {} of it)", undo.header.owner.pid),
          "End that compmond: it puts everything back.");
    auto left = Patient::left_behind(pid, undo);
    if (!left) return Unexpected(left.error());
    if (auto done = left->leave(); !done) return Unexpected(done.error());
    out += undo.header.changes;
  }
  return out;
}

}  // namespace compmond::inprocess
