// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace compmond::inprocess {

// What the recorder of one process has to know.
struct RecorderFacts {
  int64_t tid_offset = 0;  // from %fs to the thread's number, as the C library keeps it
  // The first ThreadRecords; there are threads_mask + 1 (a power of two, at most 65536) and as many
  // more as a search may go on (RECORDING_PROBES - 1).
  uint64_t threads = 0, threads_mask = 0;
  uint64_t ring_mask = 0;  // records of a ring - 1
  uint64_t shared = 0;     // the Recording
};

// Its code, which runs wherever it is put: read-only, at a multiple of 64. It adds some 25 ns to
// what called it, and changes nothing else.
std::vector<uint8_t> recorder(const RecorderFacts& facts);
// From which offset in it on it tells of a value in place of %rsp.
size_t recorder_of_value();
// From this offset in it on, so many bytes lie on the stack above the address that it returns to.
struct RecorderStep {
  uint16_t at = 0, bytes = 0;
};
std::span<const RecorderStep> recorder_steps();  // by offset
// Of it, what is the same in all processes.
std::span<const uint8_t> recorder_code();

}  // namespace compmond::inprocess
