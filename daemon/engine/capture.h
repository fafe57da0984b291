// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/inputs.h"
#include "engine/placed.h"
#include "engine/targets.h"
#include "plan/plan.h"
#include "plan/states.h"
#include "plan/strangers.h"
#include "record/event.h"
#include "sampling/sample.h"

namespace compmond::engine {

enum class Recording {
  kOff,
  kOn,      // from one moment on, all that is placed counts
  kPaused,  // nothing counts, but ends of threads and new processes are told
};

// Probes have taken more than half of a thread's time since then; CLOCK_MONOTONIC.
struct Alarm {
  uint64_t since_ns = 0;
  double share = 1;  // of the thread's time, lately, by costs as measured at start
};

// An engine at work in one run. Gives everything back when destroyed. Main thread, but for what is
// said otherwise.
class Capture {
 public:
  virtual ~Capture() = default;

  // Places those of `operations` (indices in the plan, each with its way in use one of this engine)
  // that live in scope.image, ends before entries so that no call is seen half; or their entries
  // alone. Those that cannot be placed are refusals; all others are. Exit::kNoPermission,
  // Exit::kUnavailable (no descriptor or memory left), Exit::kNoInput (the process is gone).
  virtual Result<std::unique_ptr<Placed>> place(const plan::Plan& plan,
                                                const plan::OperationStates& states, Scope scope,
                                                std::span<const size_t> operations,
                                                plan::See see) = 0;
  // Likewise watches those of `transfers` (indices in the plan's, each with a way of this engine)
  // that live in scope.image; what cannot be watched is left out. Null: it watches none at all.
  virtual Result<std::unique_ptr<Placed>> watch(const plan::Plan& /*plan*/, Scope /*scope*/,
                                                std::span<const size_t> /*transfers*/) {
    return std::unique_ptr<Placed>();
  }
  // Whether probes of this way, one of this engine's, placed for all processes, do more than cost
  // time to processes that are no targets.
  virtual bool harms_strangers(const plan::Way& /*way*/) const { return false; }
  // Whether it is placed in one process after the other (scope.pid), also where all that map the
  // image are targets.
  virtual bool by_process(const plan::Way& /*way*/) const { return false; }
  // What these called so far, and what that cost them by the ways in use.
  virtual plan::Strangers strangers(const plan::Plan& /*plan*/,
                                    const plan::OperationStates& /*states*/) const {
    return {};
  }
  // Drained by the data side's thread. Lives as long as this.
  virtual record::EventSource& events() = 0;
  virtual void record(Recording recording) = 0;  // any thread
  // What it sees of stacks; null: nothing. Drained by one thread. Lives as long as this.
  virtual sampling::SampleSource* samples() { return nullptr; }
  // Who is observed, where this engine keeps that up to date by itself (Traits::follows); else
  // null.
  virtual Targets* targets() { return nullptr; }

  // Told within 30 ms where CaptureOptions::guarded asks for it: the descriptor, borrowed, becomes
  // readable (-1: no call of this engine costs that much), and there is something to take, of
  // several the oldest since the last time.
  virtual int alarm_fd() const { return -1; }
  virtual std::optional<Alarm> take_alarm() { return {}; }

  // Counts what the targets read: on from now, until that is destroyed, which must be before this;
  // null: this engine sees no slices. One at a time. Takes some ms.
  virtual Result<std::unique_ptr<InputCounting>> count_inputs() {
    return std::unique_ptr<InputCounting>();
  }
  // While inputs are counted: from now on each is an event, too, until set_slice(0). Each slice has
  // another number.
  virtual void set_slice(uint32_t /*number*/) {}

  // Once all that was placed is taken away: a sentence each for what stays all the same.
  virtual std::vector<std::string> end() { return {}; }

  virtual std::string attach() const = 0;                        // its way to attach, in its word
  virtual std::vector<std::string> notes() const { return {}; }  // for a reader of the figures
  virtual bool opens_perf_events() const { return false; }       // also later in the run
};

}  // namespace compmond::engine
