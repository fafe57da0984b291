// SPDX-License-Identifier: Apache-2.0
#include "surgery/stopped_threads.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "target/proc_folder.h"

namespace compmond::inprocess {
namespace {

namespace fs = std::filesystem;

constexpr useconds_t kBetweenLooks = 20;  // µs
constexpr uint64_t kForEachNs = 10'000;   // of very many, each takes about as long to stop

bool ends(const std::string& stat) {  // a zombie, whose process has other threads
  const size_t name = stat.rfind(") ");
  return name != std::string::npos && name + 2 < stat.size() &&
         (stat[name + 2] == 'Z' || stat[name + 2] == 'X');
}

bool ends(pid_t pid, pid_t tid) {
  std::string stat;
  std::getline(std::ifstream(fmt::format("/proc/{}/task/{}/stat", pid, tid)), stat);
  return stat.empty() || ends(stat);
}

std::vector<pid_t> threads_of(pid_t pid) {
  std::vector<pid_t> out;
  std::error_code gone;
  for (fs::directory_iterator at(fmt::format("/proc/{}/task", pid), gone), end; !gone && at != end;
       at.increment(gone)) {
    const std::string name = at->path().filename();
    pid_t tid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), tid).ec == std::errc())
      out.push_back(tid);
  }
  return out;
}

enum class Waited : uint8_t { kStopped, kGone, kNot };

// For a stop that was asked for. Other signals meanwhile are the thread's own.
Waited wait_for_stop(pid_t tid, uint64_t until_ns) {
  for (;;) {
    int status = 0;
    const pid_t found = ::waitpid(tid, &status, __WALL | WNOHANG);
    if (found < 0 || (found == tid && !WIFSTOPPED(status))) return Waited::kGone;
    if (found == tid && status >> 16 == PTRACE_EVENT_STOP) return Waited::kStopped;
    if (found == tid) ::ptrace(PTRACE_CONT, tid, nullptr, WSTOPSIG(status));
    if (found == 0 && monotonic_ns() > until_ns) return Waited::kNot;
    if (found == 0) ::usleep(kBetweenLooks);
  }
}

// Those that end with EINTR when their thread is stopped, although no signal came, and that begin
// again as they were; that of others is begun again by the kernel.
constexpr std::array kBeginAgain = {
    SYS_epoll_wait, SYS_epoll_pwait,   SYS_epoll_pwait2,  SYS_rt_sigtimedwait, SYS_semop,
    SYS_semtimedop, SYS_io_getevents,  SYS_io_pgetevents, SYS_msgrcv,          SYS_msgsnd,
    SYS_recvfrom,   SYS_recvmsg,       SYS_recvmmsg,      SYS_accept,          SYS_accept4,
    SYS_connect,    SYS_sendto,        SYS_sendmsg,       SYS_sendmmsg,        SYS_read,
    SYS_readv,      SYS_preadv,        SYS_preadv2,       SYS_write,           SYS_writev,
    SYS_pwritev,    SYS_pwritev2,      SYS_sendfile,      SYS_splice,          SYS_tee,
    SYS_vmsplice,   SYS_io_uring_enter};

constexpr uint64_t bit_of(int signal) { return uint64_t(1) << (signal - 1); }

// One that ends a call. What is ignored waits, too, where a thread is traced.
bool has_signal(pid_t tid) {
  constexpr uint64_t kIgnored =  // where nothing else was asked for
      bit_of(SIGCHLD) | bit_of(SIGCONT) | bit_of(SIGURG) | bit_of(SIGWINCH);
  std::ifstream status(fmt::format("/proc/{}/status", tid));
  uint64_t pending = 0, blocked = 0, ignored = 0, caught = 0;
  for (std::string key; status >> key;) {
    uint64_t* const of = key == "SigPnd:" || key == "ShdPnd:" ? &pending
                         : key == "SigBlk:"                   ? &blocked
                         : key == "SigIgn:"                   ? &ignored
                         : key == "SigCgt:"                   ? &caught
                                                              : nullptr;
    if (!of) continue;
    std::string mask;
    status >> mask;
    *of |= std::strtoull(mask.c_str(), nullptr, 16);
  }
  return (pending & ~blocked & ~ignored & ~(kIgnored & ~caught)) != 0;
}

// Its call of the system ended with EINTR, although no signal came but our stop.
bool interrupted_by_us(const user_regs_struct& registers, pid_t tid) {
  return int64_t(registers.rax) == -EINTR && int64_t(registers.orig_rax) >= 0 &&
         !StoppedThreads::is_of_32_bits(tid, registers) &&
         std::ranges::find(kBeginAgain, long(registers.orig_rax)) != kBeginAgain.end() &&
         !has_signal(tid);
}

// Threads that were asked to stop and did not yet.
std::vector<pid_t>& late_ones() {
  static std::vector<pid_t> out;
  return out;
}

// One that runs has to stop before it can be.
void let_go(pid_t tid) {
  user_regs_struct now{};
  if (::ptrace(PTRACE_GETREGS, tid, nullptr, &now) == 0 && interrupted_by_us(now, tid)) {
    now.rax = now.orig_rax;
    now.rip -= StoppedThreads::kSyscallBytes;
    now.orig_rax = uint64_t(-1);
    ::ptrace(PTRACE_SETREGS, tid, nullptr, &now);
  }
  if (::ptrace(PTRACE_DETACH, tid, nullptr, nullptr) != 0 &&
      ::ptrace(PTRACE_INTERRUPT, tid, nullptr, nullptr) == 0)
    late_ones().push_back(tid);
}

Error not_to_be_stopped(pid_t tid, int err) {
  Error out{Exit::kNoPermission, fmt::format("cannot stop thread {}", tid),
            std::string("it may not be stopped: ") + std::strerror(err), ""};
  const pid_t tracer = target::tracer_of(tid);
  const auto its = target::read_stat(fmt::format("/proc/{}", tracer));
  if (its) out.why = fmt::format("process {} ({}) traces it", tracer, its->name);
  return out;
}

}  // namespace

void may_go_first() {
  const rlimit least{1, 1};
  ::setrlimit(RLIMIT_RTPRIO, &least);
}

class StoppedThreads::Haste {
 public:
  Haste() : policy_(::sched_getscheduler(0)) {
    ::sched_getparam(0, &param_);
    const sched_param least{.sched_priority = 1};
    ::sched_setscheduler(0, SCHED_FIFO, &least);
  }
  ~Haste() { ::sched_setscheduler(0, policy_, &param_); }
  Haste(const Haste&) = delete;
  Haste& operator=(const Haste&) = delete;

 private:
  int policy_;  // as before
  sched_param param_{};
};

bool StoppedThreads::let_late_ones_go() {
  for (const pid_t tid : std::exchange(late_ones(), {})) {
    const Waited found = wait_for_stop(tid, 0);
    if (found == Waited::kStopped) let_go(tid);
    if (found == Waited::kNot) late_ones().push_back(tid);
  }
  return !late_ones().empty();
}

Result<StoppedThreads> StoppedThreads::stop(pid_t pid, Which which, uint64_t within_ns) {
  StoppedThreads out;
  out.which_ = which;
  const uint64_t until_ns = monotonic_ns() + within_ns;
  for (bool more = true; more;) {
    const auto stopped = out.stop_new(pid, which, until_ns);
    if (!stopped) return Unexpected(stopped.error());
    more = *stopped && which == Which::kAll;  // new ones may have been begun by those
  }
  if (out.threads_.empty())
    return fail(Exit::kNoInput, fmt::format("process {} is gone", pid), "it has no thread left");
  return out;
}

Result<StoppedThreads> StoppedThreads::stop_all(pid_t pid) {
  constexpr uint64_t kWithinNs = 20'000'000;
  constexpr int kTries = 40;
  constexpr useconds_t kGoOn = 5'000;  // µs
  for (int tries = 1;; ++tries, ::usleep(kGoOn)) {
    auto out = stop(pid, Which::kAll, kWithinNs);
    if (out || out.error().code != Exit::kUnavailable || tries == kTries) return out;
    let_late_ones_go();
  }
}

// Whether there were any.
Result<bool> StoppedThreads::stop_new(pid_t pid, Which which, uint64_t until_ns) {
  std::vector<pid_t> seized;
  std::optional<Error> failed;
  for (const pid_t tid : threads_of(pid)) {
    if (std::ranges::find(threads_, tid, &Thread::tid) != threads_.end()) continue;
    if (which == Which::kOne && !seized.empty()) break;
    if (std::erase(late_ones(), tid) > 0) {  // asked before
      seized.push_back(tid);
      continue;
    }
    const bool done = ::ptrace(PTRACE_SEIZE, tid, nullptr, nullptr) == 0;
    if (!done && (errno == ESRCH || ends(pid, tid))) continue;
    if (!done) {
      failed = not_to_be_stopped(tid, errno);
      break;
    }
    ::ptrace(PTRACE_INTERRUPT, tid, nullptr, nullptr);
    seized.push_back(tid);
  }
  until_ns = std::max(until_ns, monotonic_ns() + kForEachNs * seized.size());
  for (const pid_t tid : seized) {
    Thread thread{.tid = tid};
    const Waited found = wait_for_stop(tid, until_ns);
    if (found == Waited::kNot) late_ones().push_back(tid);
    if (found == Waited::kNot && !failed)
      failed = Error{Exit::kUnavailable, fmt::format("cannot stop thread {}", tid),
                     "it does not stop: it waits for a disk or for a process that it forked, or is "
                     "frozen",
                     ""};
    if (found == Waited::kStopped && ::ptrace(PTRACE_GETREGS, tid, nullptr, &thread.registers) == 0)
      threads_.push_back(thread);
  }
  if (failed) return Unexpected(*failed);
  return !seized.empty();
}

StoppedThreads::StoppedThreads() : haste_(std::make_unique<Haste>()) {}

StoppedThreads::StoppedThreads(StoppedThreads&& other) noexcept
    : haste_(std::move(other.haste_)),
      threads_(std::exchange(other.threads_, {})),
      which_(other.which_) {}

StoppedThreads::~StoppedThreads() {
  for (const Thread& thread : threads_) let_go(thread.tid);
}

bool StoppedThreads::is_of_32_bits(pid_t tid, const user_regs_struct& registers) {
  constexpr long kInt80 = 0x80cd;
  const long code = ::ptrace(PTRACE_PEEKTEXT, tid, registers.rip - kSyscallBytes, nullptr);
  return (code & 0xffff) == kInt80;
}

bool StoppedThreads::begins_again(const Thread& thread) const {
  constexpr std::array kByTheKernel = {-512, -513, -514};  // ERESTARTSYS, NOINTR, NOHAND
  return thread.in_call() &&
         (std::ranges::find(kByTheKernel, int64_t(thread.registers.rax)) != kByTheKernel.end() ||
          interrupted_by_us(thread.registers, thread.tid));
}

bool StoppedThreads::set(const Thread& thread) const {
  return ::ptrace(PTRACE_SETREGS, thread.tid, nullptr, &thread.registers) == 0;
}

uint64_t StoppedThreads::blocked_signals(pid_t tid) const {
  uint64_t mask = 0;
  ::ptrace(PTRACE_GETSIGMASK, tid, sizeof mask, &mask);
  return mask;
}

bool StoppedThreads::block_signals(pid_t tid, uint64_t mask) const {
  return ::ptrace(PTRACE_SETSIGMASK, tid, sizeof mask, &mask) == 0;
}

bool StoppedThreads::pass_filters(pid_t tid, bool pass) const {
  return ::ptrace(PTRACE_SETOPTIONS, tid, nullptr, pass ? PTRACE_O_SUSPEND_SECCOMP : 0) == 0 ||
         target::seccomp_mode(tid) == 0;
}

bool StoppedThreads::run(pid_t tid) const {
  return ::ptrace(PTRACE_CONT, tid, nullptr, nullptr) == 0;
}

void StoppedThreads::run_on(pid_t tid) const {
  int status = 0;
  if (::waitpid(tid, &status, __WALL | WNOHANG) != tid || !WIFSTOPPED(status)) return;
  const int signal = status >> 16 == 0 ? WSTOPSIG(status) : 0;
  ::ptrace(PTRACE_CONT, tid, nullptr, signal);
}

bool StoppedThreads::stop_again(Thread& thread, uint64_t within_ns) const {
  return ::ptrace(PTRACE_INTERRUPT, thread.tid, nullptr, nullptr) == 0 &&
         wait_for_stop(thread.tid, monotonic_ns() + within_ns) == Waited::kStopped &&
         ::ptrace(PTRACE_GETREGS, thread.tid, nullptr, &thread.registers) == 0;
}

}  // namespace compmond::inprocess
