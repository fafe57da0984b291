// SPDX-License-Identifier: Apache-2.0
#include "surgery/patching.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "text/numbers.h"

namespace compmond::inprocess {
namespace {

constexpr int kTries = 100;
constexpr useconds_t kBetween = 1000;  // µs

// All of them where the process has other memory by now, as it executed a program.
std::set<uint32_t> changed_by_others(const ProcessMemory& memory,
                                     std::span<const CodeChange> changes) {
  std::vector<std::array<uint8_t, 5>> now(changes.size());
  std::vector<ProcessMemory::Piece> pieces;
  for (size_t i = 0; i < changes.size(); ++i)
    pieces.push_back({changes[i].at, std::span(now[i]).first(changes[i].size)});
  const std::vector<bool> there = memory.read(pieces);
  std::set<uint32_t> out;
  uint8_t byte = 0;
  const bool same = changes.empty() || memory.read(changes.front().at, {&byte, 1});
  for (size_t i = 0; i < changes.size(); ++i)
    if (!same || !there[i] ||
        !std::ranges::equal(pieces[i].bytes, std::span(changes[i].before).first(changes[i].size)))
      out.insert(changes[i].function);
  return out;
}

// All or none: what was written before one failed is put back.
bool write_all(const ProcessMemory& memory, std::span<const CodeChange> changes,
               const std::set<uint32_t>& without) {
  for (size_t i = 0; i < changes.size(); ++i) {
    const CodeChange& change = changes[i];
    if (without.contains(change.function) ||
        memory.write(change.at, std::span(change.after).first(change.size)))
      continue;
    while (i-- > 0)
      if (!without.contains(changes[i].function))
        memory.write(changes[i].at, std::span(changes[i].before).first(changes[i].size));
    return false;
  }
  return true;
}

// Those that stand within what is to be written over, with the registers that they are to have.
std::vector<StoppedThreads::Thread> move(StoppedThreads& threads, std::span<const MovedPlace> moved,
                                         const Ranges& inside, const std::set<uint32_t>& without) {
  std::vector<StoppedThreads::Thread> out;
  for (StoppedThreads::Thread& thread : threads.all()) {
    if (!inside.has(thread.registers.rip)) continue;
    const auto place = std::ranges::find(moved, thread.registers.rip, &MovedPlace::from);
    if (place == moved.end() || without.contains(place->function)) continue;
    thread.registers.rip = place->to;
    out.push_back(thread);
  }
  return out;
}

}  // namespace

Result<std::vector<uint32_t>> change_code(pid_t pid, const ProcessMemory& memory,
                                          std::span<const CodeChange> changes,
                                          std::span<const MovedPlace> moved,
                                          const EndOfStack& end_of_stack, uint64_t most_bytes) {
  Ranges inside;  // where nobody may come back to: behind the first byte
  for (const CodeChange& change : changes) inside.add(change.at + 1, change.size - 1u);
  for (int tries = 0; tries < kTries; ++tries, ::usleep(kBetween)) {
    auto threads = StoppedThreads::stop_all(pid);
    if (!threads) return Unexpected(threads.error());
    const std::set<uint32_t> without = changed_by_others(memory, changes);
    const std::vector<StoppedThreads::Thread> moving = move(*threads, moved, inside, without);
    const auto there = threads_in(*threads, memory, inside, end_of_stack, most_bytes);
    if (!there)
      return fail(Exit::kUnavailable, fmt::format("the code of process {} was not changed", pid),
                  fmt::format("its threads have more than {} of stacks in use, which would have to "
                              "be looked through while they stand still",
                              text::bytes(most_bytes)));
    if (*there > 0) continue;
    // First those, as where they go is there: who ends this process then leaves nobody in between.
    for (const StoppedThreads::Thread& thread : moving) threads->set(thread);
    if (!write_all(memory, changes, without))
      return fail(Exit::kUnavailable, fmt::format("the code of process {} was not changed", pid),
                  "its memory cannot be written");
    return std::vector(without.begin(), without.end());
  }
  return fail(Exit::kUnavailable, fmt::format("the code of process {} was not changed", pid),
              "a signal handler came each time to where it was to be changed");
}

}  // namespace compmond::inprocess
