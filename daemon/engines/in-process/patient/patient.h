// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "patient/address_space.h"
#include "patient/undo.h"
#include "rings/layout.h"
#include "sampling/moved_code.h"
#include "surgery/detour.h"
#include "surgery/patching.h"
#include "surgery/process_memory.h"
#include "trampolines/portable.h"

namespace compmond::inprocess {

// One process whose functions are patched, and put back. Needs the right to trace it. One thread.
class Patient {
 public:
  // Maps what it shares with us, where it is found that it can be patched at all: all its threads
  // are such as the C library makes, and nobody else patches it. What a compmond that is gone left
  // in it is put back before. Exit::kNoInput, Exit::kNoPermission, Exit::kUnavailable.
  static Result<Patient> open(pid_t pid, const SharedLayout& layout);
  // As it was opened by a compmond that is gone, to leave() it.
  static Result<Patient> left_behind(pid_t pid, const Undo& undo);
  // A fork of it, which has all that it has, at the same addresses.
  Result<Patient> fork(pid_t child) const;

  pid_t pid() const { return pid_; }
  // Whether that process has the memory that this one shares with us: it is this one, or a fork of
  // it, and has executed no other program since.
  bool is_in(pid_t pid) const;
  bool is_in(const AddressSpace& space) const;
  // What it shares, to be mapped: of layout().size().
  Result<Fd> shared() const;
  const SharedLayout& layout() const { return layout_; }

  // A function of a file, of any number of the caller's.
  struct Function {
    uint32_t number = 0;
    FileId file{};
    uint64_t vaddr = 0, offset = 0;  // of its first byte
    uint32_t first_site = 1;
    std::string code;  // packed (portable.h)
  };
  struct Refusal {
    uint32_t number = 0;
    std::string reason;
    bool unmapped = false;  // its file is not there
  };
  // All of them are patched.
  bool has(std::span<const Function> functions) const;
  // Which could not be; all others are patched now. Again: one that was put back.
  Result<std::vector<Refusal>> patch(std::span<const Function> functions);
  // Those whose bytes are others' by now are left as they are.
  Result<void> put_back(std::span<const uint32_t> functions);
  // What it executes that is not of its files, for what it stands there.
  std::vector<sampling::MovedCode> moved_code() const;
  // To be asked where is_in(pid()). All is put back and unmapped, once no thread is in it any more.
  // Exit::kUnavailable: some are, or somebody else changed what was patched, and it stays, where it
  // does nothing.
  Result<void> leave();

 private:
  struct Area {
    uint64_t at = 0, size = 0, used = 0;
  };
  struct Bytes {
    uint64_t at = 0;
    std::vector<uint8_t> bytes;
  };
  struct Placed {
    std::vector<CodeChange> changes;
    std::vector<MovedPlace> there;
    std::vector<sampling::MovedCode> stretches;
    uint64_t entry = 0;  // address of its first byte
    bool patched = false;
  };
  Patient(pid_t pid, ProcessMemory memory, const SharedLayout& layout)
      : pid_(pid), memory_(std::move(memory)), layout_(layout) {}
  static constexpr uint64_t kStopWithin = 500'000'000;  // ns
  static Unexpected cannot(pid_t pid, std::string why);
  Result<void> call(std::vector<SystemCall>& calls) const;
  Result<void> call_by_one(const AddressSpace& space, Slack slack,
                           std::vector<SystemCall>& calls) const;
  Result<void> clear();
  Result<void> be_the_only_one();
  Result<void> map_shared();
  Result<void> check_threads();
  Result<void> write_pending();
  bool forget_elsewhere(const Function& function, const AddressSpace& space);
  void write_later(uint64_t at, std::span<const uint8_t> bytes);
  void write_undo_later(std::span<const CodeChange> changes);
  bool holds_jump(const Placed& function) const;
  void know_rest();
  std::vector<SystemCall> unmapping() const;
  Result<void> place(const AddressSpace& space, std::span<const Function* const> functions,
                     std::vector<Refusal>& refused);
  Result<Area*> area_near(uint64_t address, uint64_t size);
  Result<void> change(const std::vector<uint32_t>& numbers, bool back,
                      std::vector<Refusal>& refused);

  pid_t pid_;
  ProcessMemory memory_;
  SharedLayout layout_;
  int64_t tid_offset_ = 0;
  uint64_t shared_at_ = 0;
  FileId shared_;
  uint64_t undo_at_ = 0;
  UndoHeader undo_;  // as it is there, or is to be
  std::vector<Bytes> pending_;
  std::vector<Area> areas_;
  std::map<uint32_t, Placed> placed_;
  bool entered_ = true;  // a thread may be in what is mapped
};

}  // namespace compmond::inprocess
