// SPDX-License-Identifier: Apache-2.0
#include "patient/undo.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <span>

#include "target/proc_folder.h"

namespace compmond::inprocess {
namespace {

std::span<uint8_t> writable(auto& value) {
  return {reinterpret_cast<uint8_t*>(&value), sizeof value};
}

// 0: it has ended, also where nobody collected it.
uint64_t start_of(pid_t pid) {
  const auto stat = target::read_stat(fmt::format("/proc/{}", pid));
  return stat && stat->state != 'Z' && stat->state != 'X' ? stat->start_ticks : 0;
}

}  // namespace

UndoOwner UndoOwner::self() { return {start_of(::getpid()), ::getpid()}; }

bool UndoOwner::lives() const { return start_ticks != 0 && start_of(pid) == start_ticks; }

UndoChange UndoChange::of(const CodeChange& change) {
  return {change.at, change.function, change.size, change.before, change.after};
}

CodeChange UndoChange::change() const { return {at, size, before, after, function}; }

std::vector<Undo> Undo::find(const AddressSpace& space, const ProcessMemory& memory) {
  std::vector<Undo> out;
  for (const uint64_t at : space.private_memory(kBytes)) {
    Undo one{.at = at, .header = {}};
    UndoHeader& header = one.header;
    if (memory.read(at, writable(header)) && header.magic == UndoHeader::kMagic &&
        header.areas <= header.area.size() && header.changes <= kChanges)
      out.push_back(one);
  }
  return out;
}

std::vector<UndoChange> Undo::changes(const ProcessMemory& memory) const {
  std::vector<UndoChange> out(header.changes);
  const std::span<uint8_t> bytes(reinterpret_cast<uint8_t*>(out.data()),
                                 out.size() * sizeof(UndoChange));
  const bool sound =
      memory.read(at_of(at, 0), bytes) && std::ranges::all_of(out, [](const UndoChange& one) {
        return one.size > 0 && one.size <= one.before.size();
      });
  return sound ? out : std::vector<UndoChange>();
}

}  // namespace compmond::inprocess
