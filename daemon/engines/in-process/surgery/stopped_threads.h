// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <sys/user.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"

namespace compmond::inprocess {

// From here on this process may go before others as long as threads are stopped, so that those that
// it lets go do not take its CPU from it before it let all of them. Needs CAP_SYS_RESOURCE now,
// and nothing later; without it nothing changes.
void may_go_first();

// Threads of another process that stand still. Signals for them wait or are passed on; system calls
// that they were in go on when they do, with the timeout that was left where the kernel keeps one.
// Of the thread that stopped them alone. Where this process ends before they were let go, the
// kernel lets them.
class StoppedThreads {
 public:
  struct Thread {
    pid_t tid = 0;
    user_regs_struct registers{};                                      // as of the stop
    bool in_call() const { return int64_t(registers.orig_rax) >= 0; }  // of the system
  };
  enum class Which : uint8_t {
    kAll,
    kOne,  // whichever can be
  };
  // All of them within that time. Exit::kNoInput: it is gone. Exit::kNoPermission: nobody may, or
  // somebody else traces it. Exit::kUnavailable: one does not stop (it waits for a disk): it will,
  // and stand still until let_late_ones_go() or the next stop of that process.
  static Result<StoppedThreads> stop(pid_t pid, Which which, uint64_t within_ns);
  // All of them, tried again and again for about a second where one does not stop: all others wait
  // for it some ms at a time, and go on in between.
  static Result<StoppedThreads> stop_all(pid_t pid);
  // Of earlier stops that failed. To be called often, as long as it says that there are some.
  static bool let_late_ones_go();
  StoppedThreads(StoppedThreads&&) noexcept;
  StoppedThreads& operator=(StoppedThreads&&) = delete;
  ~StoppedThreads();  // lets them go

  std::vector<Thread>& all() { return threads_; }
  const std::vector<Thread>& all() const { return threads_; }
  bool are_all() const { return which_ == Which::kAll; }
  static constexpr uint64_t kSyscallBytes = 2;  // of that instruction, at which it is begun again
  // Its call of the system is to be made once more, as it was.
  bool begins_again(const Thread& thread) const;
  // It was made as programs of 32 bits make theirs (int $0x80), whose numbers are others.
  static bool is_of_32_bits(pid_t tid, const user_regs_struct& registers);
  // What it goes on with. False: it is gone.
  bool set(const Thread& thread) const;
  // Its mask of blocked signals, as the kernel has them.
  uint64_t blocked_signals(pid_t tid) const;
  bool block_signals(pid_t tid, uint64_t mask) const;
  // Its filters of system calls are not asked from now on, or are again: while it runs for us
  // alone. False: that may not be.
  bool pass_filters(pid_t tid, bool pass) const;
  // Lets one run until it can be stopped again.
  bool run(pid_t tid) const;
  // Where it stopped meanwhile, as one does of a process that was stopped (SIGSTOP) when it came to
  // us: again.
  void run_on(pid_t tid) const;
  bool stop_again(Thread& thread, uint64_t within_ns) const;

 private:
  class Haste;
  StoppedThreads();
  Result<bool> stop_new(pid_t pid, Which which, uint64_t until_ns);
  std::unique_ptr<Haste> haste_;
  std::vector<Thread> threads_;
  Which which_ = Which::kAll;
};

}  // namespace compmond::inprocess
