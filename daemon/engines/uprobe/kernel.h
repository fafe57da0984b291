// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "base/attach_kind.h"
#include "base/limits.h"
#include "base/result.h"
#include "record/event.h"
#include "record/record.h"

namespace compmond::uprobe {

// The loaded BPF programs and maps of one run. Gives everything back to the kernel when destroyed;
// nothing is pinned. One thread, but set_recording() and add_target() may come from another.
class Kernel : public record::EventSource {
 public:
  struct Options {
    AttachKind kind = AttachKind::kSession;
    bool lifecycle = true;     // see threads end, processes fork and exec; off only for calibration
    bool follow_forks = true;  // processes forked by a target are targets too
    uint64_t exe_inode =
        0;  // the observed program: a target that executes another file is none any more
    uint32_t exe_device = 0;  // st_dev of that file; 0: compare the inode only
    bool tail_calls = true;   // an observed function may end in a jump to another one
    bool contexts = false;    // arguments of some operation are recorded
    bool all_of_exe =
        false;  // every process that executes the program is a target, also later ones
    uint32_t slots = limits::kThreadSlots;
    size_t ring_bytes = limits::kRingBytes;
  };
  // Exit::kNoPermission without CAP_BPF and CAP_PERFMON; Exit::kUnavailable when the kernel lacks
  // what `kind` needs.
  static Result<std::unique_ptr<Kernel>> load(const Options& options);
  ~Kernel() override;

  AttachKind kind() const;
  const ProbePrograms& programs() const;

  Result<void> add_target(pid_t pid);
  void remove_target(pid_t pid);
  // Whether the process is observed (also as a fork of a target).
  bool is_target(pid_t pid) const;
  std::vector<pid_t> targets() const;
  // Hits count only while recording is on, so that all probes begin at the same moment. While
  // paused, ends of threads and new processes are still told.
  enum class Recording : uint32_t { kOff = CM_OFF, kOn = CM_ON, kPaused = CM_PAUSED };
  void set_recording(Recording recording);

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
