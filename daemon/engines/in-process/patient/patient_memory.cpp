// SPDX-License-Identifier: Apache-2.0
// Memory that a process gets for its patches: what it shares, and how they are undone.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "patient/patient.h"

namespace compmond::inprocess {
namespace {

std::span<const uint8_t> bytes_of(const auto& value) {
  return {reinterpret_cast<const uint8_t*>(&value), sizeof value};
}

// Of nobody's file, as the kernel makes it: on its own file system, where only the kernel names
// things.
bool is_shared_memory(const std::string& path, uint64_t size) {
  static const dev_t own = [] {
    void* at = ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const auto from = uint64_t(at);
    struct stat st {};
    const bool done =
        at != MAP_FAILED &&
        ::stat(fmt::format("/proc/self/map_files/{:x}-{:x}", from, from + 4096).c_str(), &st) == 0;
    if (at != MAP_FAILED) ::munmap(at, 4096);
    return done ? st.st_dev : 0;
  }();
  std::array<char, 64> name{};
  const ssize_t length = ::readlink(path.c_str(), name.data(), name.size());
  struct stat st {};
  return length > 0 && std::string_view(name.data(), size_t(length)) == "/dev/zero (deleted)" &&
         ::stat(path.c_str(), &st) == 0 && st.st_dev == own && uint64_t(st.st_size) == size;
}

uint64_t bytes_in_status(pid_t pid, std::string_view of) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  for (std::string key; status >> key;)
    if (key == of) {
      uint64_t kib = 0;
      status >> kib;
      return kib << 10;
    }
  return 0;
}

bool locks_memory(pid_t pid) { return bytes_in_status(pid, "VmLck:") > 0; }

// Why there is none for so many bytes: most of what its limit leaves is its own.
std::string room_for(pid_t pid, uint64_t bytes) {
  constexpr std::string_view kLimit = "Max address space";
  constexpr uint64_t kParts = 4;
  std::ifstream limits(fmt::format("/proc/{}/limits", pid));
  for (std::string line; std::getline(limits, line);) {
    if (!line.starts_with(kLimit)) continue;
    const uint64_t limit = std::strtoull(line.c_str() + kLimit.size(), nullptr, 10);
    const uint64_t used = bytes_in_status(pid, "VmSize:");
    if (limit == 0 || limit - std::min(limit, used) >= kParts * bytes) return {};  // 0: unlimited
    return fmt::format("its address space is limited (RLIMIT_AS), and {} MiB would be needed",
                       bytes >> 20);
  }
  return {};
}

std::string patched_by(const UndoOwner& owner) {
  return fmt::format("another compmond (process {}) patches it", owner.pid);
}

}  // namespace

// Of what those left that are gone.
Result<void> Patient::clear() {
  const auto space = AddressSpace::of(pid_);
  if (!space) return Unexpected(space.error());
  for (const Undo& undo : Undo::find(*space, memory_)) {
    if (undo.header.owner.lives()) return cannot(pid_, patched_by(undo.header.owner));
    auto left = left_behind(pid_, undo);
    if (!left) return Unexpected(left.error());
    if (auto done = left->leave(); !done) return done;
  }
  return {};
}

// Of two that came at once each sees the other one, and the one that started first stays.
Result<void> Patient::be_the_only_one() {
  const auto space = AddressSpace::of(pid_);
  if (!space) return Unexpected(space.error());
  for (const Undo& undo : Undo::find(*space, memory_))
    if (undo.at != undo_at_ && undo.header.owner < undo_.owner && undo.header.owner.lives())
      return cannot(pid_, patched_by(undo.header.owner));
  return {};
}

Result<void> Patient::map_shared() {
  if (locks_memory(pid_))
    return cannot(pid_, fmt::format("it locks its memory (mlock), and {} MiB would be locked more",
                                    layout_.size() >> 20));
  if (auto room = room_for(pid_, layout_.size() + Undo::kBytes); !room.empty())
    return cannot(pid_, std::move(room));
  // Unusable at first: where it locks all that it maps (mlockall), nothing of that is filled.
  constexpr uint64_t kAnonymous = MAP_ANONYMOUS | MAP_NORESERVE;
  std::vector<SystemCall> calls = {
      {SYS_mmap, {0, layout_.size(), PROT_NONE, MAP_SHARED | kAnonymous, uint64_t(-1), 0}},
      {SYS_mmap, {0, Undo::kBytes, PROT_NONE, MAP_PRIVATE | kAnonymous, uint64_t(-1), 0}}};
  auto done = call(calls);
  const uint64_t shared = calls[0].result, undo = calls[1].result;
  std::vector<SystemCall> usable = {
      {SYS_munlock, {shared, layout_.size()}},
      {SYS_munlock, {undo, Undo::kBytes}},
      {SYS_mprotect, {shared, layout_.size(), PROT_READ | PROT_WRITE}},
      {SYS_mprotect, {undo, Undo::kBytes, PROT_READ}},
      {SYS_prctl, {PR_GET_TSC, shared}}};
  if (done) done = call(usable);
  int tsc = 0;
  if (done && (!memory_.read(shared, {reinterpret_cast<uint8_t*>(&tsc), sizeof tsc}) ||
               tsc != PR_TSC_ENABLE))
    done = cannot(pid_, "it may not read the processor's counter (PR_SET_TSC)");
  const int none = 0;
  if (done) memory_.write(shared, bytes_of(none));
  if (!done) {
    std::vector<SystemCall> undone;
    if (shared != 0 && !calls[0].failed()) undone.push_back({SYS_munmap, {shared, layout_.size()}});
    if (undo != 0 && !calls[1].failed()) undone.push_back({SYS_munmap, {undo, Undo::kBytes}});
    if (!undone.empty()) (void)call(undone);
    return done;
  }
  shared_at_ = shared;
  undo_at_ = undo;
  undo_ = {.owner = UndoOwner::self(), .shared = {shared_at_, layout_.size()}};
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
  write_undo_later({});
  return write_pending();
}

// What follows what comes before is one with it, over some bytes that are nobody's.
void Patient::write_later(uint64_t at, std::span<const uint8_t> bytes) {
  constexpr uint64_t kGap = 16;
  const uint64_t end = pending_.empty() ? 0 : pending_.back().at + pending_.back().bytes.size();
  if (end == 0 || at < end || at - end >= kGap) pending_.push_back({at, {}});
  std::vector<uint8_t>& to = pending_.back().bytes;
  to.resize(at - pending_.back().at);
  to.insert(to.end(), bytes.begin(), bytes.end());
}

// As its tracer: else newer kernels may not let us write what is not writable there.
Result<void> Patient::write_pending() {
  if (pending_.empty()) return {};
  auto threads = StoppedThreads::stop(pid_, StoppedThreads::Which::kOne, kStopWithin);
  if (!threads) return Unexpected(threads.error());
  for (const Bytes& one : std::exchange(pending_, {}))
    if (!memory_.write(one.at, one.bytes)) return cannot(pid_, "its memory cannot be written");
  return {};
}

// What is to be put back where, before it is changed: and then how much of that there is.
void Patient::write_undo_later(std::span<const CodeChange> changes) {
  std::vector<UndoChange> list;
  for (const CodeChange& change : changes) list.push_back(UndoChange::of(change));
  write_later(Undo::at_of(undo_at_, undo_.changes),
              {reinterpret_cast<const uint8_t*>(list.data()), list.size() * sizeof(UndoChange)});
  undo_.changes += list.size();
  undo_.areas = areas_.size();
  for (size_t i = 0; i < areas_.size(); ++i) undo_.area[i] = {areas_[i].at, areas_[i].size};
  write_later(undo_at_, bytes_of(undo_));
}

bool Patient::is_in(pid_t pid) const {
  const auto space = AddressSpace::of(pid);
  return space && is_in(*space);
}

bool Patient::is_in(const AddressSpace& space) const {
  const auto file = space.file_at(shared_at_);
  return file && file->inode == shared_.inode && file->device == shared_.device;
}

// What is mapped there was read from memory that the process can write: it must be what was asked
// for, and no file that it wants to have opened.
Result<Fd> Patient::shared() const {
  const std::string path =
      fmt::format("/proc/{}/map_files/{:x}-{:x}", pid_, shared_at_, shared_at_ + layout_.size());
  const std::string what = fmt::format("cannot open what process {} shares", pid_);
  if (!is_shared_memory(path, layout_.size()) && !is_in(pid_))
    return fail(Exit::kNoInput, fmt::format("process {} is gone", pid_), "it ended meanwhile");
  if (!is_shared_memory(path, layout_.size()))
    return fail(Exit::kUnavailable, what, "it is not the memory that was asked for");
  Fd file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file.valid())
    return fail_errno(Exit::kUnavailable, what, errno,
                      "Needs CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE.");
  if (!is_shared_memory(file.proc_path(), layout_.size()))
    return fail(Exit::kUnavailable, what, "it is not the memory that was asked for");
  return file;
}

}  // namespace compmond::inprocess
