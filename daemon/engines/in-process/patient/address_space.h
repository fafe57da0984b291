// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "surgery/detour.h"
#include "surgery/process_memory.h"

namespace compmond::inprocess {

struct FileId {
  uint64_t device = 0, inode = 0;  // as stat has them
};

// What is mapped where in a process, as of a look at it.
class AddressSpace {
 public:
  // Exit::kNoInput: it is gone. Exit::kNoPermission.
  static Result<AddressSpace> of(pid_t pid);
  // Pure, of the text of /proc/PID/maps.
  explicit AddressSpace(const std::string& maps);

  bool empty() const { return parts_.empty(); }
  // Where a byte of that file is that may be executed. Nothing: nowhere.
  std::optional<uint64_t> address_of(FileId file, uint64_t offset) const;
  // Or it is at more than one place (dlmopen).
  bool is_twice(FileId file, uint64_t offset) const;
  // The file that begins at this address.
  std::optional<FileId> file_at(uint64_t address) const;
  // A place for so many bytes that nobody uses, within 1 GiB of all that is mapped of the file that
  // is at this address, where neither the heap nor a stack grows.
  std::optional<uint64_t> place_near(uint64_t address, uint64_t size) const;
  // Where the stack may end that this address is on, which may lie in several parts of memory: at
  // the end of the last part without a file that others lie before without a gap, of which
  // `at_most` bytes are looked for. 0: it is in none.
  uint64_t end_of_stack(uint64_t sp, uint64_t at_most) const;
  // Of memory below this address, what is its stack's: 0 where it is in none, or where what is
  // there may be anything else. A stack is the first thread's, or has an unusable page below it.
  uint64_t room_on_stack(uint64_t sp) const;
  // Where memory of no file begins that has this size and may only be read.
  std::vector<uint64_t> private_memory(uint64_t size) const;
  // Of whatever code has enough of it.
  std::optional<Slack> slack(const ProcessMemory& memory) const;
  // Where detours are: threads are on these, or those who sent them there died.
  std::vector<Slack> detours(const ProcessMemory& memory) const;

 private:
  struct Part {
    uint64_t start = 0, end = 0, offset = 0, device = 0, inode = 0;
    bool executable = false, grows = false;
    bool only_read = false, is_stack = false, is_guard = false;
    bool has_code(FileId file, uint64_t at) const;
  };
  std::vector<Part> parts_;  // by address
};

}  // namespace compmond::inprocess
