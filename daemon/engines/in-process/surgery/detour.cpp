// SPDX-License-Identifier: Apache-2.0
#include "surgery/detour.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <span>

#include "base/clock.h"
#include "surgery/detour_layout.h"

extern "C" {
extern const uint8_t compmond_detour[], compmond_detour_back[], compmond_detour_end[];
}

namespace compmond::inprocess {
namespace {

struct Plan {
  uint64_t count = 0, done = 0, mask = 0;
  SystemCall calls[kMostCalls];
};
static_assert(offsetof(Plan, count) == DETOUR_COUNT && offsetof(Plan, done) == DETOUR_DONE);
static_assert(offsetof(Plan, mask) == DETOUR_MASK && offsetof(Plan, calls) == DETOUR_CALLS);
static_assert(sizeof(SystemCall) == DETOUR_CALL_BYTES);
static_assert(offsetof(SystemCall, result) == DETOUR_CALL_RESULT);
constexpr uint64_t kRedZone = 128, kAllSignals = ~uint64_t(0);
static_assert(sizeof(Plan) + kRedZone <= DETOUR_BELOW && DETOUR_BELOW % 16 == 0);

constexpr uint64_t kWithin = 500'000'000;  // ns
constexpr useconds_t kPoll = 20;           // µs

std::span<const uint8_t> bytes_of(const auto& value) {
  return {reinterpret_cast<const uint8_t*>(&value), sizeof value};
}

// As it would go on in the kernel, which forgets that once the registers are others.
user_regs_struct as_if_not_stopped(const StoppedThreads& threads,
                                   const StoppedThreads::Thread& thread) {
  constexpr int64_t kRestartBlock = -516;
  constexpr uint64_t kRestart32 = 0;  // restart_syscall of programs of 32 bits
  user_regs_struct out = thread.registers;
  const bool again = threads.begins_again(thread);
  const bool goes_on = thread.in_call() && int64_t(out.rax) == kRestartBlock;
  if (again) out.rax = out.orig_rax;
  if (goes_on)
    out.rax = StoppedThreads::is_of_32_bits(thread.tid, out) ? kRestart32 : SYS_restart_syscall;
  if (again || goes_on) out.rip -= StoppedThreads::kSyscallBytes;
  return out;
}

bool is_on_detour(const StoppedThreads::Thread& thread, Slack slack) {
  return thread.registers.rip - slack.at < bytes_of_detour();
}

bool clear(const ProcessMemory& memory, Slack slack) {
  return memory.write(slack.at, std::vector(bytes_of_detour(), slack.fill));
}

class Detour {
 public:
  Detour(const StoppedThreads& threads, StoppedThreads::Thread& thread, const ProcessMemory& memory,
         Slack slack)
      : threads_(threads), thread_(thread), memory_(memory), slack_(slack) {}

  Result<void> make(std::vector<SystemCall>& calls) {
    if (!enter(calls)) return failed("its memory cannot be written, or another one is there");
    const uint64_t until_ns = monotonic_ns() + kWithin;
    if (!wait(until_ns)) return failed("it did not come to an end");
    Plan plan;
    if (!memory_.read(plan_at_, {reinterpret_cast<uint8_t*>(&plan), sizeof plan}))
      return failed("its memory cannot be read");
    for (size_t i = 0; i < calls.size(); ++i) calls[i].result = plan.calls[i].result;
    if (!leave(until_ns)) return failed("it did not come back");
    return {};
  }

 private:
  bool enter(const std::vector<SystemCall>& calls) {
    if (calls.size() > kMostCalls || !threads_.are_all() || !is_free()) return false;
    const user_regs_struct& to = to_ = as_if_not_stopped(threads_, thread_);
    Plan plan;
    plan.count = calls.size();
    plan.mask = mask_ = threads_.blocked_signals(thread_.tid);
    for (size_t i = 0; i < calls.size(); ++i) plan.calls[i] = calls[i];
    plan_at_ = to.rsp - DETOUR_BELOW;
    below_.resize(stack_of_detour());
    if (!memory_.read(to.rsp - stack_of_detour(), below_)) return false;
    std::vector<uint8_t> code(compmond_detour, compmond_detour_end);
    std::memcpy(&code[size_t(compmond_detour_back - compmond_detour)], &to.rip, sizeof to.rip);
    if (!memory_.write(plan_at_, bytes_of(plan)) || !memory_.write(slack_.at, code)) return false;
    to_.orig_rax = uint64_t(-1);
    thread_.registers = to_;
    thread_.registers.rsp = plan_at_;
    thread_.registers.rip = slack_.at;
    return threads_.set(thread_) && threads_.block_signals(thread_.tid, kAllSignals) &&
           threads_.pass_filters(thread_.tid, true) && threads_.run(thread_.tid);
  }

  // Or has what one of a surgeon that died has left.
  bool is_free() const {
    std::vector<uint8_t> now(bytes_of_detour());
    if (now.size() > slack_.size || !memory_.read(slack_.at, now)) return false;
    return std::ranges::count(now, slack_.fill) == std::ptrdiff_t(now.size()) ||
           (holds_detour(memory_, slack_) && take_detour_away(threads_, memory_, slack_));
  }

  uint64_t field(size_t offset) const {
    uint64_t out = 0;
    memory_.read(plan_at_ + offset, {reinterpret_cast<uint8_t*>(&out), sizeof out});
    return out;
  }

  bool wait(uint64_t until_ns) const {
    while (field(DETOUR_DONE) == 0) {
      if (monotonic_ns() > until_ns) return false;
      threads_.run_on(thread_.tid);
      ::usleep(kPoll);
    }
    return true;
  }

  // To where it was, of which it executes nothing. No handler will come back to the slack, as none
  // could begin there. It may have waited long enough by now, and have left by itself.
  bool leave(uint64_t until_ns) {
    if (!threads_.stop_again(thread_, until_ns - std::min(until_ns, monotonic_ns())) ||
        !threads_.pass_filters(thread_.tid, false))
      return false;
    if (is_on_detour(thread_, slack_)) {
      thread_.registers = to_;
      if (!threads_.set(thread_) || !memory_.write(to_.rsp - stack_of_detour(), below_))
        return false;
    }
    return clear(memory_, slack_) && threads_.block_signals(thread_.tid, mask_);
  }

  Unexpected failed(const std::string& why) const {
    return fail(Exit::kUnavailable, fmt::format("thread {} cannot make system calls", thread_.tid),
                why);
  }

  const StoppedThreads& threads_;
  StoppedThreads::Thread& thread_;
  const ProcessMemory& memory_;
  const Slack slack_;
  user_regs_struct to_{};       // with what it goes on
  std::vector<uint8_t> below_;  // its stack pointer
  uint64_t plan_at_ = 0, mask_ = 0;
};

}  // namespace

uint64_t stack_of_detour() { return DETOUR_BELOW + DETOUR_PUSHED; }

size_t bytes_of_detour() { return size_t(compmond_detour_end - compmond_detour); }

bool holds_detour(const ProcessMemory& memory, Slack slack) {
  std::vector<uint8_t> now(bytes_of_detour());
  if (now.size() > slack.size || !memory.read(slack.at, now)) return false;
  const size_t back = size_t(compmond_detour_back - compmond_detour);
  std::fill_n(now.begin() + std::ptrdiff_t(back), sizeof(uint64_t), uint8_t(0));
  return std::ranges::equal(now, std::span(compmond_detour, now.size()));
}

bool take_detour_away(const StoppedThreads& threads, const ProcessMemory& memory, Slack slack) {
  return threads.are_all() &&
         std::ranges::none_of(
             threads.all(),
             [&](const StoppedThreads::Thread& one) { return is_on_detour(one, slack); }) &&
         clear(memory, slack);
}

Result<void> make_calls(const StoppedThreads& threads, StoppedThreads::Thread& thread,
                        const ProcessMemory& memory, Slack slack, std::vector<SystemCall>& calls) {
  return Detour(threads, thread, memory, slack).make(calls);
}

}  // namespace compmond::inprocess
