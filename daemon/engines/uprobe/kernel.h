// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "core/limits.h"
#include "engine/capture.h"
#include "engine/targets.h"
#include "record/event.h"
#include "uprobe/attach_kind.h"
#include "uprobe/input_counter.h"

namespace compmond::uprobe {

// The loaded BPF programs and maps of one run. Gives everything back to the kernel when destroyed;
// nothing is pinned. One thread, but set_recording() and add() may come from another.
class Kernel : public record::EventSource, public engine::Targets {
 public:
  struct Options {
    AttachKind kind = AttachKind::kSession;
    bool lifecycle = true;  // see threads end, processes fork and exec; off only for calibration
    engine::TargetRule targets;
    bool tail_calls = true;  // an observed function may end in a jump to another one
    bool contexts = false;   // arguments of some operation are recorded
    bool guarded = false;    // alarms are told
    bool tell_all = false;   // also threads that no probe saw end and execute programs
    size_t operations = 1;   // of the plan
    bool inputs = false;     // can be counted: count_inputs
    uint32_t slots = limits::kThreadSlots;
    size_t ring_bytes = limits::kRingBytes;
  };
  // Exit::kNoPermission without CAP_BPF and CAP_PERFMON; Exit::kUnavailable when the kernel lacks
  // what `kind` needs.
  static Result<std::unique_ptr<Kernel>> load(const Options& options);
  ~Kernel() override;

  AttachKind kind() const;
  const ProbePrograms& programs() const;

  Result<void> add(pid_t pid) override;
  void remove(pid_t pid) override;
  std::optional<uint64_t> since(pid_t pid) const override;
  std::vector<pid_t> all() const override;
  uint64_t without_place() const override;
  std::vector<engine::TargetEnd> take_ends() override;
  uint64_t untold_ends() const override;
  // Hits count only while recording is on, so that all probes begin at the same moment.
  void set_recording(engine::Recording recording);
  // As of engine::Capture.
  int alarm_fd() const;
  std::optional<engine::Alarm> take_alarm();
  bool counts_inputs() const;  // Options::inputs
  // From now on, until the counter is destroyed, which must be before this. One at a time.
  Result<std::unique_ptr<InputCounter>> count_inputs(uint64_t (*clock)() = monotonic_ns);
  // From now on inputs are records, until set_slice(0); each slice has another number.
  void set_slice(uint32_t number);

  // What processes called that are no targets, by operation; borrowed. And how many they are: at
  // most kStrangers are told apart.
  std::span<const uint64_t> stranger_calls() const;
  static constexpr uint32_t kStrangers = 1024;
  size_t strangers() const;

  size_t drain(record::EventSink& sink) override;
  record::Ledger ledger() const override;
  uint64_t now_ns() const override;
  size_t threads() const;  // living observed threads

 private:
  struct Impl;
  explicit Kernel(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace compmond::uprobe
