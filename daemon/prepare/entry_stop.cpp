// SPDX-License-Identifier: Apache-2.0
#include "prepare/entry_stop.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <optional>

#include "base/fd.h"

namespace compmond::prepare {
namespace {

constexpr const char* kWhat = "cannot hold the program at its start";
constexpr long kBreakpoint = 0xcc;  // int3

// Address of the program's first instruction (ELF entry), from the auxiliary vector.
uint64_t entry_address(pid_t pid) {
  Fd fd(::open(fmt::format("/proc/{}/auxv", pid).c_str(), O_RDONLY | O_CLOEXEC));
  Elf64_auxv_t entry;
  while (fd.valid() && ::read(fd.get(), &entry, sizeof entry) == ssize_t(sizeof entry))
    if (entry.a_type == AT_ENTRY) return entry.a_un.a_val;
  return 0;
}

std::optional<long> peek(pid_t pid, uint64_t address) {
  errno = 0;
  const long word = ::ptrace(PTRACE_PEEKTEXT, pid, address, nullptr);
  return errno == 0 ? std::optional(word) : std::nullopt;
}

bool poke(pid_t pid, uint64_t address, long word) {
  return ::ptrace(PTRACE_POKETEXT, pid, address, word) == 0;
}

long with_breakpoint(long word) { return (word & ~0xffl) | kBreakpoint; }

}  // namespace

bool stop_by_register(pid_t pid, uint64_t address) {
  const auto set = [pid](size_t number, uint64_t value) {
    return ::ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, u_debugreg) + number * sizeof(long),
                    value) == 0;
  };
  constexpr uint64_t kExecutesFirst = 1;  // DR7: the first address, for this thread, if executed
  if (address == 0) return set(7, 0);
  return set(7, 0) && set(0, address) && set(7, kExecutesFirst);
}

bool stopped_by_register(pid_t pid, uint64_t address) {
  siginfo_t info{};
  user_regs_struct regs{};
  return ::ptrace(PTRACE_GETSIGINFO, pid, nullptr, &info) == 0 && info.si_code == TRAP_HWBKPT &&
         ::ptrace(PTRACE_GETREGS, pid, nullptr, &regs) == 0 && regs.rip == address;
}

Result<void> EntryStop::arm() {
  entry_ = entry_address(pid_);
  if (entry_ == 0)
    return fail(Exit::kData, kWhat, "where it begins is not known: it is no program of 64 bits",
                "Only 64-bit programs can be observed.");
  if (way_ == Way::kRegister && stop_by_register(pid_, entry_)) return {};
  way_ = Way::kInstruction;
  // What is written is copied to children.
  constexpr long kOptions = PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL | PTRACE_O_TRACEFORK |
                            PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE;
  if (::ptrace(PTRACE_SETOPTIONS, pid_, nullptr, kOptions) != 0)
    return fail_errno(Exit::kInternal, kWhat, errno);
  const auto word = peek(pid_, entry_);
  if (!word || !poke(pid_, entry_, with_breakpoint(*word)))
    return fail_errno(Exit::kInternal, kWhat, errno);
  original_ = *word;
  return {};
}

Result<bool> EntryStop::arrived() {
  if (way_ == Way::kInstruction) return came_to_instruction();
  if (!stopped_by_register(pid_, entry_)) return false;
  if (!stop_by_register(pid_, 0)) return fail_errno(Exit::kInternal, kWhat, errno);
  return true;
}

Result<bool> EntryStop::came_to_instruction() {
  siginfo_t info{};
  user_regs_struct regs{};
  if (::ptrace(PTRACE_GETSIGINFO, pid_, nullptr, &info) != 0 ||
      ::ptrace(PTRACE_GETREGS, pid_, nullptr, &regs) != 0)
    return fail_errno(Exit::kInternal, kWhat, errno);
  const auto word = peek(pid_, entry_);
  // One that was sent, or an instruction of its own, is the program's.
  if (info.si_code != SI_KERNEL || regs.rip != entry_ + 1 || !word ||
      *word != with_breakpoint(original_))
    return false;
  regs.rip = entry_;
  if (!poke(pid_, entry_, original_) || ::ptrace(PTRACE_SETREGS, pid_, nullptr, &regs) != 0)
    return fail_errno(Exit::kInternal, kWhat, errno);
  return true;
}

void EntryStop::spare(pid_t child) {
  int status = 0;
  if (::waitpid(child, &status, __WALL) != child || !WIFSTOPPED(status)) return;
  if (way_ == Way::kInstruction && peek(child, entry_) == with_breakpoint(original_)) {
    poke(child, entry_, original_);
    // A thread, and a child of vfork, has the memory of its parent, who still has to stop.
    if (peek(pid_, entry_) == original_) poke(pid_, entry_, with_breakpoint(original_));
  }
  ::ptrace(PTRACE_DETACH, child, nullptr, nullptr);
}

}  // namespace compmond::prepare
