// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "log_format/block.h"
#include "record/event.h"
#include "recording/decoded_chunk.h"

namespace compmond::recording {

// The threads of a log, as far as it was read: gives them ids, dense in order of first sight, and
// keeps which of them may have open executions. Bounded.
class LogThreads {
 public:
  // Tells `out` the block's threads and events.
  void hand_over(const Block& block, DecodedChunk& out);
  // All that is open is closed as lossy, as nobody knows on which threads something is missing.
  void lose(uint64_t time_ns, DecodedChunk& out);

 private:
  struct Thread {
    record::ThreadId id = 0;
    uint64_t last_ns = 0;
    bool has_events = false;
  };
  void evict(DecodedChunk& out);
  Thread& thread_of(const Block::Thread& thread, DecodedChunk& out);

  std::map<record::ThreadId, Thread> threads_;  // by their number in the log; alive
  record::ThreadId next_ = 0;
};

}  // namespace compmond::recording
