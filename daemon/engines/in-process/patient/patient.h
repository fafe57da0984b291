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
#include "rings/layout.h"
#include "surgery/patching.h"
#include "surgery/process_memory.h"
#include "trampolines/portable.h"

namespace compmond::inprocess {

// One process whose functions are patched, and put back. Needs the right to trace it. One thread.
class Patient {
 public:
  // Maps what it shares with us, where it is found that it can be patched at all: all its threads
  // are such as the C library makes. Exit::kNoInput, Exit::kNoPermission, Exit::kUnavailable.
  static Result<Patient> open(pid_t pid, const SharedLayout& layout);
  // A fork of it, which has all that it has, at the same addresses.
  Result<Patient> fork(pid_t child) const;

  pid_t pid() const { return pid_; }
  // Whether that process has the memory that this one shares with us: it is this one, or a fork of
  // it, and has executed no other program since.
  bool is_in(pid_t pid) const;
  // What it shares, to be mapped: of layout.size().
  Result<Fd> shared() const;

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
  };
  // Which could not be; all others are patched now. Again: one that was put back.
  Result<std::vector<Refusal>> patch(std::span<const Function> functions);
  // Those whose bytes are others' by now are left as they are.
  Result<void> put_back(std::span<const uint32_t> functions);
  // To be asked where is_in(pid()). All is put back and unmapped, once no thread is in it any more.
  // Exit::kUnavailable: some are, and it stays, where it does nothing.
  Result<void> leave();

 private:
  struct Area {
    uint64_t at = 0, size = 0, used = 0;
  };
  struct Placed {
    std::vector<CodeChange> changes;
    std::vector<MovedPlace> there;
    bool patched = false;
  };
  Patient(pid_t pid, ProcessMemory memory, const SharedLayout& layout)
      : pid_(pid), memory_(std::move(memory)), layout_(layout) {}
  Result<void> call(std::vector<SystemCall>& calls) const;
  Result<void> map_shared();
  Result<void> check_threads();
  Result<void> place(const AddressSpace& space, std::span<const Function* const> functions,
                     std::vector<Refusal>& refused);
  Result<Area*> area_near(const AddressSpace& space, uint64_t address, uint64_t size);
  Result<void> change(const std::vector<uint32_t>& numbers, bool back,
                      std::vector<Refusal>& refused);

  pid_t pid_;
  ProcessMemory memory_;
  SharedLayout layout_;
  int64_t tid_offset_ = 0;
  uint64_t shared_at_ = 0;
  FileId shared_;
  std::vector<Area> areas_;
  std::map<uint32_t, Placed> placed_;
};

}  // namespace compmond::inprocess
