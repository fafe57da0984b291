// SPDX-License-Identifier: Apache-2.0
#include "patient/patient.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "surgery/detour.h"
#include "surgery/stacks.h"
#include "trampolines/recorder.h"

namespace compmond::inprocess {
namespace {

constexpr uint64_t kStopWithin = 500'000'000;  // ns
constexpr uint64_t kLeastArea = 1 << 20, kRecorderBytes = 512;
constexpr std::array<int64_t, 2> kTids = {0x2d0, 0x30};  // glibc's threads, musl's
constexpr size_t kAtOnce = 500;                          // patches in one stop
constexpr int kLeaveTries = 2000;
constexpr useconds_t kBetween = 1000;  // µs

Unexpected cannot(pid_t pid, std::string why) {
  return fail(Exit::kUnavailable, fmt::format("process {} cannot be patched", pid), std::move(why));
}

}  // namespace

Result<Patient> Patient::open(pid_t pid, const SharedLayout& layout) {
  auto memory = ProcessMemory::open(pid);
  if (!memory) return Unexpected(memory.error());
  Patient out(pid, std::move(*memory), layout);
  if (auto done = out.check_threads(); !done) return Unexpected(done.error());
  if (auto done = out.map_shared(); !done) return Unexpected(done.error());
  return out;
}

Result<Patient> Patient::fork(pid_t child) const {
  auto memory = ProcessMemory::open(child);
  if (!memory) return Unexpected(memory.error());
  Patient out(child, std::move(*memory), layout_);
  out.tid_offset_ = tid_offset_;
  out.shared_at_ = shared_at_;
  out.shared_ = shared_;
  out.areas_ = areas_;
  out.placed_ = placed_;
  return out;
}

// Where each thread's number is, in memory that all the C library's threads have.
Result<void> Patient::check_threads() {
  auto threads = StoppedThreads::stop(pid_, StoppedThreads::Which::kAll, kStopWithin);
  if (!threads) return Unexpected(threads.error());
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
  auto threads = StoppedThreads::stop(pid_, StoppedThreads::Which::kOne, kStopWithin);
  if (!threads) return Unexpected(threads.error());
  if (auto made = make_calls(*threads, threads->all()[0], memory_, *slack, calls); !made)
    return made;
  for (const SystemCall& one : calls)
    if (one.failed())
      return cannot(pid_, fmt::format("it may not map memory ({})",
                                      std::strerror(int(-int64_t(one.result)))));
  return {};
}

Result<void> Patient::map_shared() {
  std::vector<SystemCall> calls = {{SYS_mmap,
                                    {0, layout_.size(), PROT_READ | PROT_WRITE,
                                     MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, uint64_t(-1), 0}}};
  if (auto called = call(calls); !called) return called;
  shared_at_ = calls[0].result;
  const auto space = AddressSpace::of(pid_);
  const auto file = space ? space->file_at(shared_at_) : std::nullopt;
  if (!file) return cannot(pid_, "what it shares is not there");
  shared_ = *file;
  std::vector<ThreadRecords> slots(layout_.slots());
  for (size_t i = 0; i < slots.size(); ++i) {
    slots[i].ring = shared_at_ + layout_.ring_of(i);
    slots[i].limit = layout_.ring - kRingReserve;
  }
  const std::span bytes(reinterpret_cast<const uint8_t*>(slots.data()),
                        slots.size() * sizeof slots[0]);
  if (!memory_.write(shared_at_ + layout_.slot(0), bytes))
    return cannot(pid_, "its memory cannot be written");
  return {};
}

bool Patient::is_in(pid_t pid) const {
  const auto space = AddressSpace::of(pid);
  const auto file = space ? space->file_at(shared_at_) : std::nullopt;
  return file && file->inode == shared_.inode && file->device == shared_.device;
}

Result<Fd> Patient::shared() const {
  const auto path =
      fmt::format("/proc/{}/map_files/{:x}-{:x}", pid_, shared_at_, shared_at_ + layout_.size());
  Fd file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (file.valid()) return file;
  return fail_errno(Exit::kUnavailable, fmt::format("cannot open what process {} shares", pid_),
                    errno, "Needs CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE.");
}

Result<Patient::Area*> Patient::area_near(const AddressSpace& space, uint64_t address,
                                          uint64_t size) {
  constexpr uint64_t kReach = uint64_t(3) << 29;
  for (Area& area : areas_) {
    const uint64_t apart = std::max(address, area.at) - std::min(address, area.at);
    if (apart < kReach && area.size - area.used >= size) return &area;
  }
  Area area{.at = 0,
            .size = std::max(kLeastArea, (kRecorderBytes + size + 4095) & ~uint64_t(4095)),
            .used = kRecorderBytes};
  const auto at = space.place_near(address, area.size);
  if (!at) return cannot(pid_, "there is no room near its code");
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
  if (code.size() > kRecorderBytes || !memory_.write(area.at, code))
    return cannot(pid_, "its memory cannot be written");
  areas_.push_back(area);
  return &areas_.back();
}

Result<std::vector<Patient::Refusal>> Patient::patch(std::span<const Function> functions) {
  std::vector<Refusal> refused;
  std::vector<const Function*> fresh;
  std::vector<uint32_t> numbers;
  for (const Function& one : functions) {
    numbers.push_back(one.number);
    if (!placed_.contains(one.number)) fresh.push_back(&one);
  }
  if (!fresh.empty()) {
    const auto space = AddressSpace::of(pid_);
    if (!space) return Unexpected(space.error());
    if (auto done = place(*space, fresh, refused); !done) return Unexpected(done.error());
  }
  std::erase_if(numbers, [&](uint32_t number) { return !placed_.contains(number); });
  if (auto done = change(numbers, false, refused); !done) return Unexpected(done.error());
  return refused;
}

// Their code, which nobody comes to yet.
Result<void> Patient::place(const AddressSpace& space, std::span<const Function* const> functions,
                            std::vector<Refusal>& refused) {
  struct Bytes {
    uint64_t at;
    std::vector<uint8_t> code;
  };
  std::vector<Bytes> bytes;
  for (const Function* function : functions) {
    const auto refuse = [&](const char* why) { refused.push_back({function->number, why}); };
    const auto address = space.address_of(function->file, function->offset);
    const auto code = unpacked(function->code);
    if (!address || !code) {
      refuse(code ? "it does not map that code" : "its patches are not sound");
      continue;
    }
    auto area = area_near(space, *address, code->code.size());
    if (!area) return Unexpected(area.error());
    const auto there = placed(*code, {.bias = *address - function->vaddr,
                                      .at = (*area)->at + (*area)->used,
                                      .recorder = (*area)->at,
                                      .first_site = function->first_site});
    if (!there) {
      refuse("its code is out of reach");
      continue;
    }
    bytes.push_back({(*area)->at + (*area)->used, there->code});
    (*area)->used += (there->code.size() + 15) & ~uint64_t(15);
    Placed& to = placed_[function->number];
    for (const PlacedCode::Change& change : there->changes)
      to.changes.push_back({change.at, change.size, change.before, change.after, function->number});
    for (const Trampolines::Twin& twin : there->twins)
      to.there.push_back({twin.original, twin.moved, function->number});
  }
  if (bytes.empty()) return {};
  // As its tracer: else newer kernels may not let us write what is not writable there.
  auto threads = StoppedThreads::stop(pid_, StoppedThreads::Which::kOne, kStopWithin);
  if (!threads) return Unexpected(threads.error());
  for (const Bytes& one : bytes)
    if (!memory_.write(one.at, one.code)) return cannot(pid_, "its memory cannot be written");
  return {};
}

// To there or back, some functions in each stop.
Result<void> Patient::change(const std::vector<uint32_t>& numbers, bool back,
                             std::vector<Refusal>& refused) {
  std::vector<CodeChange> changes;
  std::vector<MovedPlace> moved;
  std::vector<uint32_t> now;
  const auto carry_out = [&]() -> Result<void> {
    auto left = change_code(pid_, memory_, changes, moved);
    if (!left) return Unexpected(left.error());
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
  for (const uint32_t number : functions)
    if (placed_.contains(number)) numbers.push_back(number);
  return change(numbers, true, left);
}

Result<void> Patient::leave() {
  std::vector<uint32_t> all;
  for (const auto& [number, placed] : placed_) all.push_back(number);
  if (auto done = put_back(all); !done) return done;
  const bool others =
      std::ranges::any_of(placed_, [](const auto& one) { return one.second.patched; });
  if (others) return cannot(pid_, "somebody else changed code that is patched: all stays mapped");
  Ranges own;
  std::vector<SystemCall> calls;
  for (const Area& area : areas_) {
    own.add(area.at, area.size);
    calls.push_back({SYS_munmap, {area.at, area.size}});
  }
  calls.push_back({SYS_munmap, {shared_at_, layout_.size()}});
  const auto space = AddressSpace::of(pid_);
  if (!space) return Unexpected(space.error());
  const auto slack = space->slack(memory_);
  if (!slack) return cannot(pid_, "none of its code has room for a detour");
  for (int tries = 0; tries < kLeaveTries; ++tries, ::usleep(kBetween)) {
    auto threads = StoppedThreads::stop(pid_, StoppedThreads::Which::kAll, kStopWithin);
    if (!threads) return Unexpected(threads.error());
    if (threads_in(*threads, memory_, own) > 0) continue;
    if (auto made = make_calls(*threads, threads->all()[0], memory_, *slack, calls); !made)
      return made;
    areas_.clear();
    placed_.clear();
    return {};
  }
  return cannot(pid_, "a thread does not leave its code: that stays mapped, and does nothing");
}

}  // namespace compmond::inprocess
