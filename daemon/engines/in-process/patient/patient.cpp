// SPDX-License-Identifier: Apache-2.0
#include "patient/patient.h"

#include <fmt/format.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "patient/stacks_of.h"
#include "surgery/detour.h"
#include "target/proc_folder.h"
#include "trampolines/recorder.h"

namespace compmond::inprocess {
namespace {

constexpr useconds_t kBetweenTries = 1000;  // µs
constexpr uint64_t kLeastArea = 1 << 20, kRecorderBytes = 576;
constexpr std::array<int64_t, 2> kTids = {0x2d0, 0x30};  // glibc's threads, musl's

}  // namespace

Unexpected Patient::cannot(pid_t pid, std::string why) {
  return fail(Exit::kUnavailable, fmt::format("process {} cannot be patched", pid), std::move(why));
}

Result<Patient> Patient::open(pid_t pid, const SharedLayout& layout) {
  auto memory = ProcessMemory::open(pid);
  if (!memory) return Unexpected(memory.error());
  Patient out(pid, std::move(*memory), layout);
  out.entered_ = false;
  if (const pid_t other = shares_memory_with(pid); other != 0)
    return cannot(pid, fmt::format("process {} has the same memory and is no thread of it", other));
  if (auto done = out.check_threads(); !done) return Unexpected(done.error());
  if (auto done = out.clear(); !done) return Unexpected(done.error());
  if (auto done = out.map_shared(); !done) return Unexpected(done.error());
  if (auto done = out.be_the_only_one(); !done) {
    (void)out.leave();
    return Unexpected(done.error());
  }
  return out;
}

// It has what this one had when it was forked, which was less, or else patched, than now.
Result<Patient> Patient::fork(pid_t child) const {
  auto memory = ProcessMemory::open(child);
  if (!memory) return Unexpected(memory.error());
  const auto space = AddressSpace::of(child);
  if (!space) return Unexpected(space.error());
  const std::vector<Undo> all = Undo::find(*space, *memory);
  const auto undo = std::ranges::find(all, undo_at_, &Undo::at);
  if (undo == all.end()) return cannot(child, "it was forked while its parent was prepared");
  Patient out(child, std::move(*memory), layout_);
  out.tid_offset_ = tid_offset_;
  out.shared_at_ = shared_at_;
  out.shared_ = shared_;
  out.undo_at_ = undo_at_;
  out.undo_ = undo->header;
  for (size_t i = 0; i < out.undo_.areas; ++i) {
    const UndoArea& area = out.undo_.area[i];
    const auto ours = std::ranges::find(areas_, area.at, &Area::at);
    out.areas_.push_back({area.at, area.size, ours == areas_.end() ? area.size : ours->used});
  }
  std::map<uint64_t, UndoChange> its;
  for (const UndoChange& one : undo->changes(out.memory_)) its[one.at] = one;
  const auto is_its = [&](const CodeChange& change) {
    const auto found = its.find(change.at);
    return found != its.end() && found->second.after == change.after;
  };
  for (const auto& [number, placed] : placed_) {
    if (!std::ranges::all_of(placed.changes, is_its)) continue;
    Placed& to = out.placed_[number] = placed;
    to.patched = out.holds_jump(to);
  }
  return out;
}

// Where each thread's number is, in memory that all the C library's threads have.
Result<void> Patient::check_threads() {
  auto threads = StoppedThreads::stop_all(pid_);
  if (!threads) return Unexpected(threads.error());
  const auto is_strict = [](const StoppedThreads::Thread& one) {
    return target::seccomp_mode(one.tid) == SECCOMP_MODE_STRICT;
  };
  if (std::ranges::any_of(threads->all(), is_strict))
    return cannot(pid_, "it may not read the processor's counter (strict seccomp)");
  for (const int64_t offset : kTids) {
    const bool all = std::ranges::all_of(threads->all(), [&](const StoppedThreads::Thread& one) {
      std::array<uint8_t, sizeof(pid_t)> tid{};
      return memory_.read(one.registers.fs_base + uint64_t(offset), tid) &&
             std::memcmp(tid.data(), &one.tid, sizeof one.tid) == 0;
    });
    if (!all) continue;
    tid_offset_ = offset;
    return {};
  }
  return cannot(pid_,
                "where its threads have their numbers is not known: they are none of the GNU C "
                "library or musl, or it is in another pid namespace");
}

Result<void> Patient::call(std::vector<SystemCall>& calls) const {
  const auto space = AddressSpace::of(pid_);
  if (!space) return Unexpected(space.error());
  const auto slack = space->slack(memory_);
  if (!slack) return cannot(pid_, "none of its code has room for a detour");
  if (auto made = call_by_one(*space, *slack, calls); !made) return made;
  for (const SystemCall& one : calls)
    if (one.failed())
      return cannot(pid_, fmt::format("it may not map memory ({})",
                                      std::strerror(int(-int64_t(one.result)))));
  return {};
}

// By a thread that can spare its stack.
Result<void> Patient::call_by_one(const AddressSpace& space, Slack slack,
                                  std::vector<SystemCall>& calls) const {
  constexpr int kTries = 20;
  for (int tries = 0; tries < kTries; ++tries, ::usleep(kBetweenTries)) {
    auto threads = StoppedThreads::stop_all(pid_);
    if (!threads) return Unexpected(threads.error());
    if (StoppedThreads::Thread* one = fit_for_detour(*threads, space, memory_))
      return make_calls(*threads, *one, memory_, slack, calls);
  }
  return cannot(
      pid_,
      "no thread of it can make system calls for us: their stacks are small, or they wait with "
      "other signals blocked");
}

Result<Patient::Area*> Patient::area_near(uint64_t address, uint64_t size) {
  constexpr uint64_t kReach = uint64_t(3) << 29;
  for (Area& area : areas_) {
    const uint64_t apart = std::max(address, area.at) - std::min(address, area.at);
    if (apart < kReach && area.size - area.used >= size) return &area;
  }
  Area area{.at = 0,
            .size = std::max(kLeastArea, (kRecorderBytes + size + 4095) & ~uint64_t(4095)),
            .used = kRecorderBytes};
  const auto space = AddressSpace::of(pid_);
  if (!space) return Unexpected(space.error());
  const auto at = space->place_near(address, area.size);
  if (!at || areas_.size() == UndoHeader::kAreas)
    return cannot(pid_, "there is no room near its code");
  std::vector<SystemCall> calls = {
      {SYS_mmap,
       {*at, area.size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
        uint64_t(-1), 0}}};
  if (auto called = call(calls); !called) return Unexpected(called.error());
  area.at = calls[0].result;
  const auto code = recorder({.tid_offset = tid_offset_,
                              .threads = shared_at_ + layout_.slot(0),
                              .threads_mask = layout_.threads - 1,
                              .ring_mask = layout_.ring - 1,
                              .shared = shared_at_});
  if (code.size() > kRecorderBytes) return cannot(pid_, "what records is too long");
  areas_.push_back(area);
  write_later(area.at, code);
  return &areas_.back();
}

bool Patient::has(std::span<const Function> functions) const {
  return std::ranges::all_of(functions, [&](const Function& one) {
    const auto found = placed_.find(one.number);
    return found != placed_.end() && found->second.patched;
  });
}

// Whether it has its code. One whose file was unloaded, and is elsewhere by now, has none.
bool Patient::forget_elsewhere(const Function& function, const AddressSpace& space) {
  const auto found = placed_.find(function.number);
  if (found == placed_.end()) return false;
  if (found->second.patched ||
      space.address_of(function.file, function.offset) == found->second.entry)
    return true;
  placed_.erase(found);
  return false;
}

Result<std::vector<Patient::Refusal>> Patient::patch(std::span<const Function> functions) {
  std::vector<Refusal> refused;
  std::vector<const Function*> fresh;
  std::vector<uint32_t> numbers;
  const auto space = AddressSpace::of(pid_);
  if (!space) return Unexpected(space.error());
  for (const Function& one : functions) {
    numbers.push_back(one.number);
    if (!forget_elsewhere(one, *space)) fresh.push_back(&one);
  }
  if (!fresh.empty())
    if (auto done = place(*space, fresh, refused); !done) return Unexpected(done.error());
  std::erase_if(numbers, [&](uint32_t number) { return !placed_.contains(number); });
  const auto done = change(numbers, false, refused);
  if (!done && done.error().code == Exit::kNoInput) return Unexpected(done.error());
  // What was patched before that failed is.
  for (const uint32_t number : numbers)
    if (!done && !placed_[number].patched) refused.push_back({number, done.error().text()});
  return refused;
}

// Their code, which nobody comes to yet.
Result<void> Patient::place(const AddressSpace& space, std::span<const Function* const> functions,
                            std::vector<Refusal>& refused) {
  std::vector<CodeChange> changes;
  std::map<uint32_t, Placed> fresh;
  const uint64_t before = undo_.changes;
  for (const Function* function : functions) {
    const auto refuse = [&](std::string why, bool unmapped = false) {
      refused.push_back({function->number, std::move(why), unmapped});
    };
    const auto address = space.address_of(function->file, function->offset);
    const auto code = unpacked(function->code);
    if (!address || !code) {
      refuse(code ? "it does not map that code" : "its patches are not sound", code.has_value());
      continue;
    }
    if (space.is_twice(function->file, function->offset)) {
      refuse("it maps that code at more than one place");
      continue;
    }
    auto area = area_near(*address, code->code.size());
    if (!area) {
      refuse(area.error().why);
      continue;
    }
    const auto there = placed(*code, {.bias = *address - function->vaddr,
                                      .at = (*area)->at + (*area)->used,
                                      .recorder = (*area)->at,
                                      .first_site = function->first_site});
    if (!there || undo_.changes + changes.size() + there->changes.size() > Undo::kChanges) {
      refuse(there ? "there are too many patches" : "its code is out of reach");
      continue;
    }
    write_later((*area)->at + (*area)->used, there->code);
    const uint64_t to_end = (*area)->at + (*area)->used + there->code.size();
    (*area)->used += (there->code.size() + 15) & ~uint64_t(15);
    Placed& to = fresh[function->number];
    to.entry = *address;
    for (const PlacedCode::Change& change : there->changes)
      to.changes.push_back({change.at, change.size, change.before, change.after, function->number});
    changes.insert(changes.end(), to.changes.begin(), to.changes.end());
    for (const Trampolines::Twin& twin : there->twins)
      to.there.push_back({twin.original, twin.moved, function->number});
    uint64_t end = to_end;
    for (auto one = there->stretches.rbegin(); one != there->stretches.rend(); ++one) {
      to.stretches.push_back({one->at, end - one->at, one->original, one->depth, false});
      end = one->at;
    }
  }
  if (changes.empty()) return {};
  write_undo_later(changes);
  if (auto done = write_pending(); !done) {
    undo_.changes = before;  // they are nowhere
    return done;
  }
  placed_.merge(fresh);
  return {};
}

}  // namespace compmond::inprocess
