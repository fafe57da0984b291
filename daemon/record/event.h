// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/context.h"
#include "base/transfer.h"

namespace compmond::record {

using OperationId = uint32_t;  // index in the plan's operations
using ThreadId = uint32_t;     // dense, given by capture at first sight, never reused within a run

enum class EventKind : uint8_t {
  kEntry,       // op, sp
  kExit,        // op, sp: the stack pointer at the entry it stands for
  kExec,        // the thread replaced its program; its frames are gone
  kThreadExit,  // the thread ended, no event of it follows; arg = 1: it was the process's last
  kFork,        // arg = pid of the child process
  kSwitch,      // off (arg = state) or on (arg = 0) the CPU; reserved for thread states
  kLoss,        // arg = number of records of this thread missing right before this place; 0: not
                // known, records of any threads
  kContext,     // arg = what an argument of the call says whose entry, of the same op, follows:
                // a number, or eight bytes of a text; flags: context_flags(). Several may come
  kTransfer,    // op = number of the place, no operation; sp: at the entry of what transfers
                // control; flags: a Transfer
  kStayed,      // op, sp: of an execution that went on at a place where it might have ended, whose
                // probe was paid
  kInput,       // in a slice, the thread read something. arg: input_…(); flags: kEarlier
  kGone,     // op: its probes go. What is open of it on this thread ends here, as far as is seen,
             // and a return later on belongs to no call of before
  kUnknown,  // of a kind or with flags that there are not: from a source that is not trusted,
             // and no further than to CheckedSource
};

using compmond::ContextKind;
using compmond::ContextType;
using compmond::kTransfers;
using compmond::Transfer;

// The flags of a context event.
constexpr uint8_t kContextMore = 16;    // of a string: another part follows
constexpr uint8_t kContextAbsent = 32;  // a string that could not be read, or is too long
constexpr uint8_t context_flags(ContextKind kind, ContextType type) {
  return uint8_t(uint8_t(kind) | uint8_t(type) << 2);
}
constexpr ContextKind context_kind(uint8_t flags) { return ContextKind(flags & 3); }
constexpr ContextType context_type(uint8_t flags) { return ContextType(flags >> 2 & 3); }

// Of an input event: it came before the slice, and is the thread's last one before.
constexpr uint8_t kEarlier = 1;
// Its strata, as estimate/counts/strata.h has them.
constexpr uint8_t input_descriptor(uint64_t arg) { return uint8_t(arg & 0xff); }
constexpr uint8_t input_size(uint64_t arg) { return uint8_t(arg >> 8 & 0xff); }

enum EventFlags : uint8_t {
  kTailCall = 1,     // entry: the function with a frame at this sp jumped here: both end at once
  kEntryOnly = 2,    // entry: no exit will follow (exit mode entry-only)
  kLimitedExit = 4,  // entry: its exit is one of those of which its engine can await only so many
                     // at once per thread
  kCheapExit = 1,    // exit: at a place whose probe costs less than one at a return
  kJumpExit = 2,     // exit: by a jump to another observed operation, which goes on in its place
};

// One decoded event of one thread. Events of a thread come in order; times may run backwards
// between threads only.
struct Event {
  uint64_t time_ns = 0;  // CLOCK_MONOTONIC
  uint64_t sp = 0;
  uint64_t arg = 0;
  OperationId op = 0;
  EventKind kind = EventKind::kEntry;
  uint8_t flags = 0;
};

// Whether it is of one of these operations.
inline bool is_of(const Event& event, const std::vector<bool>& operations) {
  switch (event.kind) {
    case EventKind::kEntry:
    case EventKind::kExit:
    case EventKind::kContext:
    case EventKind::kStayed:
      return event.op < operations.size() && operations[event.op];
    default:
      return false;
  }
}

// Identity of a thread: pid and tid can be reused, with the start time they cannot.
struct ThreadInfo {
  uint32_t pid = 0, tid = 0;
  uint64_t start_ns = 0;  // CLOCK_BOOTTIME, as the kernel has it
  std::string name;       // comm at first sight
  bool or_nobody = false;  // where no other source knows it, it is nobody that is observed
};

// Where events go. Called on the drain thread only. `events` are consecutive events of one thread.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void on_thread(ThreadId thread, const ThreadInfo& info) = 0;  // before its first event
  virtual void on_events(ThreadId thread, std::span<const Event> events) = 0;
};

// Exact accounting of the transport: hits = delivered + lost + pending.
struct Ledger {
  uint64_t hits = 0;          // records counted in the kernel before sending
  uint64_t delivered = 0;     // handed to the sink
  uint64_t lost_ring = 0;     // ring full
  uint64_t lost_slots = 0;    // more threads than limits::kThreadSlots: no place to record
  uint64_t lost_log = 0;      // delivered once, but missing in the log that is replayed
  uint64_t pending = 0;       // still in the kernel
  uint64_t lost_refused = 0;  // not to be believed: checked_source.h
  uint64_t lost() const { return lost_ring + lost_slots + lost_log + lost_refused; }
  bool balanced() const { return hits == delivered + lost() + pending; }
};

// Where events come from: kernel probes, a replayed log, a list in a test. Nothing behind it may
// know which.
class EventSource {
 public:
  virtual ~EventSource() = default;
  // Hands what is there to the sink; returns the number of events. Drain thread only.
  virtual size_t drain(EventSink& sink) = 0;
  // About so many at a time (some ms of work), so that a flood never keeps the caller from its
  // other duties: after so many or more there may be more, to be drained at once.
  static constexpr size_t kDrainEvents = 100'000;
  // As of the last drain: what comes may fill the room that there is before the next one is due.
  // Drain thread only.
  virtual bool hurries() const { return false; }
  // The accounting as of the last drain; `pending` is what was counted but not yet handed over.
  // Drain thread only.
  virtual Ledger ledger() const = 0;
  // "Now" as of the last drain, on the clock of the events (a replay has its own): every event with
  // a time below it was handed over. It never goes back. What cannot be told in time all the same,
  // as the end of a thread whose last records were lost, may come later (Merge lets it pass).
  // kEnded: nothing follows. Drain thread only.
  virtual uint64_t now_ns() const = 0;
  static constexpr uint64_t kEnded = UINT64_MAX;
};

}  // namespace compmond::record
