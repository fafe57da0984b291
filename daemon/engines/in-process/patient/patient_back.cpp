// SPDX-License-Identifier: Apache-2.0
// Patches that come and go, and how the last of them are taken back.
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <utility>

#include "patient/patient.h"
#include "patient/stacks_of.h"
#include "surgery/stacks.h"
#include "trampolines/recorder.h"

namespace compmond::inprocess {
namespace {

constexpr size_t kAtOnce = 128;               // patches in one stop: each takes some 2 µs
constexpr uint64_t kMostOfStacks = 64 << 20;  // looked through in it: some 15 ms
constexpr int kLeaveTries = 1000;
constexpr useconds_t kBetween = 1000;  // µs
constexpr uint8_t kBreakpoint = 0xcc;

// Whether code of ours begins there: else it is not ours to unmap any more.
bool is_recorder(const ProcessMemory& memory, uint64_t at) {
  std::vector<uint8_t> code(recorder_code().size());
  return memory.read(at, code) && std::ranges::equal(code, recorder_code());
}

// For children of vfork to execute what they are for. Whoever has its memory longer, and is not
// stopped with it, may be in what is changed: 0: nobody.
pid_t wait_until_alone(pid_t pid) {
  constexpr int kTries = 500;
  pid_t other = relative_in_memory_of(pid);
  for (int tries = 0; other != 0 && tries < kTries; ++tries, ::usleep(kBetween))
    other = relative_in_memory_of(pid);
  return other;
}

Unexpected cannot_leave(pid_t pid, std::string why) {
  return fail(Exit::kUnavailable, fmt::format("process {} is not as it was", pid), std::move(why));
}

}  // namespace

// To there or back, some functions in each stop.
Result<void> Patient::change(const std::vector<uint32_t>& numbers, bool back,
                             std::vector<Refusal>& refused) {
  if (const pid_t other = wait_until_alone(pid_); other != 0)
    return cannot(pid_,
                  fmt::format("process {} has the same memory and is no thread of it", other));
  std::vector<CodeChange> changes;
  std::vector<MovedPlace> moved;
  std::vector<uint32_t> now;
  const auto carry_out = [&]() -> Result<void> {
    auto left =
        change_code(pid_, memory_, changes, moved, Stacks(pid_), back ? UINT64_MAX : kMostOfStacks);
    if (!left) return Unexpected(left.error());
    entered_ |= !back;
    for (const uint32_t number : now)
      if (std::ranges::find(*left, number) == left->end())
        placed_[number].patched = !back;
      else
        refused.push_back({number, "its code is not as its file: somebody else was there"});
    changes.clear();
    moved.clear();
    now.clear();
    return {};
  };
  for (const uint32_t number : numbers) {
    const Placed& one = placed_[number];
    if (one.patched != back) continue;
    if (changes.size() + one.changes.size() > kAtOnce && !changes.empty())
      if (auto done = carry_out(); !done) return done;
    now.push_back(number);
    if (!back) {
      changes.insert(changes.end(), one.changes.begin(), one.changes.end());
      moved.insert(moved.end(), one.there.begin(), one.there.end());
      continue;
    }
    for (auto change = one.changes.rbegin(); change != one.changes.rend(); ++change) {
      changes.push_back(*change);
      std::swap(changes.back().before, changes.back().after);
    }
  }
  return changes.empty() ? Result<void>() : carry_out();
}

Result<void> Patient::put_back(std::span<const uint32_t> functions) {
  std::vector<Refusal> left;
  std::vector<uint32_t> numbers;
  for (const uint32_t number : functions) {
    const auto found = placed_.find(number);
    if (found == placed_.end()) continue;
    found->second.patched = found->second.patched && holds_jump(found->second);  // else it is gone
    numbers.push_back(number);
  }
  return change(numbers, true, left);
}

std::vector<sampling::MovedCode> Patient::moved_code() const {
  std::vector<sampling::MovedCode> out;
  for (const Area& area : areas_) {
    const auto steps = recorder_steps();
    for (size_t i = 0; i < steps.size(); ++i) {
      const uint64_t end = i + 1 < steps.size() ? steps[i + 1].at : recorder_code().size();
      out.push_back({area.at + steps[i].at, end - steps[i].at, 0, steps[i].bytes, true});
    }
  }
  for (const auto& [number, placed] : placed_)
    out.insert(out.end(), placed.stretches.begin(), placed.stretches.end());
  return out;
}

// Also below a debugger's breakpoint, who will put it back. Code that is not there any more, or is
// another library's by now, leads nobody to ours.
bool Patient::holds_jump(const Placed& function) const {
  return std::ranges::any_of(function.changes, [&](const CodeChange& change) {
    std::array<uint8_t, 5> now{};
    if (!memory_.read(change.at, std::span(now).first(change.size)) || now == change.before)
      return false;
    size_t others = 0, breakpoints = 0;
    for (size_t i = 0; i < change.size; ++i) {
      others += now[i] != change.after[i];
      breakpoints += now[i] != change.after[i] && now[i] == kBreakpoint;
    }
    return others == breakpoints && breakpoints <= 1;
  });
}

// What is there of ours; the list of it goes last.
std::vector<SystemCall> Patient::unmapping() const {
  std::vector<SystemCall> out;
  for (const Area& area : areas_) out.push_back({SYS_munmap, {area.at, area.size}});
  out.push_back({SYS_munmap, {undo_.shared.at, undo_.shared.size}});
  out.push_back({SYS_munmap, {undo_at_, Undo::kBytes}});
  return out;
}

// What its own list has beside that, and is there: as its parent had it when it was forked.
void Patient::know_rest() {
  std::set<uint64_t> known;
  for (const auto& [number, placed] : placed_)
    for (const CodeChange& change : placed.changes) known.insert(change.at);
  uint32_t number = placed_.empty() ? 0 : placed_.rbegin()->first + 1;
  const std::vector<UndoChange> all = Undo{undo_at_, undo_}.changes(memory_);
  for (auto one = all.rbegin(); one != all.rend(); ++one) {
    Placed rest{.changes = {one->change()}, .there = {}, .stretches = {}};
    rest.changes.front().function = number;
    rest.patched = !known.contains(one->at) && holds_jump(rest);
    if (rest.patched) placed_[number++] = std::move(rest);
  }
}

Result<void> Patient::leave() {
  know_rest();
  std::vector<uint32_t> all;
  for (const auto& [number, placed] : placed_) all.push_back(number);
  if (auto done = put_back(all); !done) return done;
  if (std::ranges::any_of(placed_, [&](const auto& one) { return holds_jump(one.second); }))
    return cannot_leave(pid_, "somebody else changed code that is patched: all stays mapped");
  Ranges own;
  for (const Area& area : areas_) own.add(area.at, area.size);
  std::vector<SystemCall> calls = unmapping();
  const auto space = AddressSpace::of(pid_);
  if (!space) return Unexpected(space.error());
  const auto slack = space->slack(memory_);
  if (!slack) return cannot_leave(pid_, "none of its code has room for a detour");
  for (int tries = 0; tries < kLeaveTries; ++tries, ::usleep(kBetween)) {
    auto threads = StoppedThreads::stop_all(pid_);
    if (!threads) return Unexpected(threads.error());
    StoppedThreads::Thread* const one = fit_for_detour(*threads, *space, memory_);
    if (!one || (entered_ && threads_in(*threads, memory_, own, Stacks(pid_)).value_or(1) > 0))
      continue;
    for (size_t at = 0; at < calls.size(); at += kMostCalls) {
      std::vector<SystemCall> some(
          calls.begin() + std::ptrdiff_t(at),
          calls.begin() + std::ptrdiff_t(std::min(at + kMostCalls, calls.size())));
      if (auto made = make_calls(*threads, *one, memory_, *slack, some); !made) return made;
    }
    areas_.clear();
    placed_.clear();
    return {};
  }
  return cannot_leave(pid_,
                      "a thread does not leave its code: that stays mapped, and does nothing");
}

Result<Patient> Patient::left_behind(pid_t pid, const Undo& undo) {
  auto memory = ProcessMemory::open(pid);
  if (!memory) return Unexpected(memory.error());
  Patient out(pid, std::move(*memory), {});
  out.undo_at_ = undo.at;
  out.undo_ = undo.header;
  for (size_t i = 0; i < undo.header.areas; ++i) {
    const UndoArea& area = undo.header.area[i];
    if (is_recorder(out.memory_, area.at)) out.areas_.push_back({area.at, area.size, area.size});
  }
  // Each on its own: who is gone may have written some of a function's, and not the others.
  uint32_t number = 0;
  for (const UndoChange& one : undo.changes(out.memory_)) {
    Placed& placed = out.placed_[number];
    placed.changes = {one.change()};
    placed.changes.front().function = number++;
    placed.patched = out.holds_jump(placed);
  }
  return out;
}

}  // namespace compmond::inprocess
