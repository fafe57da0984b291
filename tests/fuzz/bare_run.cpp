// SPDX-License-Identifier: Apache-2.0
#include "bare_run.h"

#include <cpuid.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "check.h"

namespace compmond::fuzz {
namespace {

constexpr uint64_t kReach = uint64_t{4} << 30;
constexpr int64_t kFarthest = (int64_t{19} << 30) / 10;  // 1.9 GiB
constexpr uint8_t kInt3 = 0xcc;
constexpr std::array kSignals{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
// General registers of a signal's context, in the order of their encoding.
constexpr std::array<int, kRegisters> kOrder{REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                             REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                             REG_R12, REG_R13, REG_R14, REG_R15};
// Layout of xsave, by Intel's manual (volume 1, 13.4).
constexpr size_t kMxcsr = 24, kX87 = 32, kXmm = 160, kLegacyEnd = 416, kSoftware = 464;
constexpr size_t kHeader = 512, kHeaderEnd = 576;
constexpr uint32_t kMagic = 0x46505853;         // FP_XSTATE_MAGIC1: more than the first 512 bytes
constexpr std::array kVectorParts{2, 5, 6, 7};  // upper halves of ymm, masks, zmm, zmm16 to 31
constexpr uint64_t kStartParts = 0xe7;          // these, x87 and xmm

struct Part {
  int number = 0;
  uint32_t offset = 0, size = 0;
};

// Where each of kVectorParts is.
const std::vector<Part>& vector_parts() {
  static const std::vector<Part> kAll = [] {
    std::vector<Part> out;
    for (const int number : kVectorParts) {
      uint32_t size = 0, offset = 0, c = 0, d = 0;
      __cpuid_count(0xd, number, size, offset, c, d);
      if (size > 0) out.push_back({number, offset, size});
    }
    return out;
  }();
  return kAll;
}

struct ExtendedState {
  uint8_t* bytes = nullptr;
  size_t size = kHeader;
  uint64_t parts = 3;
};

ExtendedState extended_state(const ucontext_t& context) {
  ExtendedState out{reinterpret_cast<uint8_t*>(context.uc_mcontext.fpregs)};
  std::array<uint32_t, 5> words{};
  std::memcpy(words.data(), out.bytes + kSoftware, sizeof words);
  if (words[0] != kMagic) return out;
  out.parts = words[2] | uint64_t{words[3]} << 32;
  out.size = words[4];
  return out;
}

// What the handler of signals works with. A run begins with an int3 here; the handler then returns
// to the code, and, at its end, behind that int3.
enum class Phase { kIdle, kBegin, kRuns };
struct {
  Phase phase = Phase::kIdle;
  uint64_t rip = 0;
  const Registers* start = nullptr;
  Stop* stop = nullptr;
  gregset_t host{};
  sigset_t mask{};
  std::vector<uint8_t> vectors;
  std::array<struct sigaction, NSIG> before{};
} current;

void begin(ucontext_t& context) {
  auto& registers = context.uc_mcontext.gregs;
  const ExtendedState extended = extended_state(context);
  std::memcpy(current.host, registers, sizeof current.host);
  current.mask = context.uc_sigmask;
  current.vectors.assign(extended.bytes, extended.bytes + extended.size);
  for (size_t i = 0; i < kOrder.size(); ++i)
    registers[kOrder[i]] = int64_t(current.start->general[i]);
  registers[REG_EFL] = int64_t(current.start->flags);
  registers[REG_RIP] = int64_t(current.rip);
  // What else may come would find this stack.
  sigfillset(&context.uc_sigmask);
  for (const int signal : kSignals) sigdelset(&context.uc_sigmask, signal);
  const std::vector<uint8_t>& start = current.start->vectors;
  if (start.empty()) return;
  std::memcpy(extended.bytes, start.data(), kLegacyEnd);
  for (const Part& part : vector_parts())
    if (extended.parts >> part.number & 1)
      std::memcpy(extended.bytes + part.offset, start.data() + part.offset, part.size);
  if (extended.size == kHeader) return;
  uint64_t present = 0;
  std::memcpy(&present, extended.bytes + kHeader, sizeof present);
  present |= extended.parts & kStartParts;
  std::memcpy(extended.bytes + kHeader, &present, sizeof present);
}

void end(int signal, ucontext_t& context) {
  auto& registers = context.uc_mcontext.gregs;
  const ExtendedState extended = extended_state(context);
  Stop& stop = *current.stop;
  stop.signal = signal;
  stop.rip = uint64_t(registers[REG_RIP]);
  stop.trap = uint64_t(registers[REG_TRAPNO]);
  stop.error = uint64_t(registers[REG_ERR]);
  stop.address = uint64_t(registers[REG_CR2]);
  for (size_t i = 0; i < kOrder.size(); ++i)
    stop.registers.general[i] = uint64_t(registers[kOrder[i]]);
  stop.registers.flags = uint64_t(registers[REG_EFL]) & kFlags;
  stop.registers.vectors.assign(extended.bytes, extended.bytes + extended.size);
  std::memcpy(registers, current.host, sizeof current.host);
  context.uc_sigmask = current.mask;
  std::memcpy(extended.bytes, current.vectors.data(),
              std::min(current.vectors.size(), extended.size));
}

void handle(int signal, siginfo_t*, void* context) {
  auto& interrupted = *static_cast<ucontext_t*>(context);
  switch (current.phase) {
    case Phase::kBegin:
      current.phase = Phase::kRuns;
      begin(interrupted);
      return;
    case Phase::kRuns:
      current.phase = Phase::kIdle;
      end(signal, interrupted);
      return;
    case Phase::kIdle:  // a fault of our own: it comes again, to whoever was there before
      ::sigaction(signal, &current.before[size_t(signal)], nullptr);
  }
}

void* map(uint64_t at, uint64_t size, int rights, int flags, int fd = -1, uint64_t offset = 0) {
  void* mapped = ::mmap(reinterpret_cast<void*>(at), size, rights, flags, fd, off_t(offset));
  FUZZ_CHECK(mapped != MAP_FAILED);
  return mapped;
}

void take_signals() {
  constexpr size_t kStack = size_t{1} << 18;
  stack_t stack{};
  stack.ss_sp = map(0, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
  stack.ss_size = kStack;
  FUZZ_CHECK(::sigaltstack(&stack, nullptr) == 0);
  struct sigaction action {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  for (const int signal : kSignals)
    FUZZ_CHECK(::sigaction(signal, &action, &current.before[size_t(signal)]) == 0);
}

}  // namespace

uint64_t random_after(uint64_t& seed) {
  uint64_t z = seed += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::span<const uint8_t> random_bytes(uint64_t seed, size_t count) {
  static const std::vector<uint64_t> kAll = [] {
    std::vector<uint64_t> out(size_t{1} << 14);
    uint64_t next = 0;
    for (uint64_t& word : out) word = random_after(next);
    return out;
  }();
  const size_t start = seed % (kAll.size() * 7);
  return {reinterpret_cast<const uint8_t*>(kAll.data()) + start, count};
}

BareMachine& BareMachine::get() {
  static BareMachine machine;
  return machine;
}

BareMachine::BareMachine() {
  const int file = ::memfd_create("code", MFD_CLOEXEC);
  FUZZ_CHECK(file >= 0 && ::ftruncate(file, off_t((1 + kFarPages) * kPage)) == 0);
  const int anonymous = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* whole = map(kCode - kReach, 2 * kReach, PROT_NONE, anonymous | MAP_FIXED_NOREPLACE);
  FUZZ_CHECK(whole == reinterpret_cast<void*>(kCode - kReach));
  for (size_t i = 0; i <= kFarPages; ++i)
    map(i == 0 ? kCode : far_page(i - 1), kPage, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED,
        file, i * kPage);
  writable_ = static_cast<uint8_t*>(
      map(0, (1 + kFarPages) * kPage, PROT_READ | PROT_WRITE, MAP_SHARED, file));
  ::close(file);
  std::memset(writable_, kInt3, (1 + kFarPages) * kPage);
  const int data = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
  map(kArena, kArenaSize, PROT_READ | PROT_WRITE, data);
  auto* pointers = static_cast<uint64_t*>(map(kPointers, kPage, PROT_READ | PROT_WRITE, data));
  for (uint64_t i = 0; i < kPage / sizeof *pointers; ++i) pointers[i] = kCode + i;
  FUZZ_CHECK(::mprotect(pointers, kPage, PROT_READ) == 0);
  take_signals();
}

uint64_t BareMachine::far_page(size_t number) {
  // Evenly from one end to the other, in no order; none comes near kCode itself.
  const auto pages = int64_t(number * 37 % kFarPages) * 2 - int64_t(kFarPages) + 1;
  const int64_t distance = kFarthest / int64_t(kFarPages) * pages;
  return (kCode + uint64_t(distance)) / kPage * kPage;
}

void BareMachine::write(uint64_t page, uint64_t offset, std::span<const uint8_t> code) {
  size_t number = 0;
  while (page != kCode && far_page(number++) != page) FUZZ_CHECK(number < kFarPages);
  uint8_t* bytes = writable_ + number * kPage;
  FUZZ_CHECK(offset + code.size() <= kPage);
  std::memset(bytes, kInt3, kPage);
  std::ranges::copy(code, bytes + offset);
}

std::span<uint64_t> BareMachine::arena() {
  return {reinterpret_cast<uint64_t*>(kArena), kArenaSize / sizeof(uint64_t)};
}

Registers BareMachine::registers(uint64_t seed) const {
  Registers out;
  out.vectors.resize(kHeaderEnd);
  for (const Part& part : vector_parts())
    out.vectors.resize(std::max(out.vectors.size(), size_t{part.offset} + part.size));
  std::ranges::copy(random_bytes(seed, out.vectors.size() - kX87), out.vectors.begin() + kX87);
  // As after fninit, with eight numbers between 1 and 2; no exceptions.
  const uint16_t control = 0x37f, used = 0xff, exponent = 0x3fff;
  const uint32_t mxcsr = 0x1f80, mask = 0xffff;
  std::memcpy(&out.vectors[0], &control, sizeof control);
  std::memcpy(&out.vectors[4], &used, sizeof used);
  std::memcpy(&out.vectors[kMxcsr], &mxcsr, sizeof mxcsr);
  std::memcpy(&out.vectors[kMxcsr + 4], &mask, sizeof mask);
  for (size_t at = kX87; at < kXmm; at += 16) {
    out.vectors[at + 7] |= 0x80;
    std::memcpy(&out.vectors[at + 8], &exponent, sizeof exponent);
  }
  return out;
}

Stop BareMachine::run(uint64_t rip, const Registers& registers) {
  Stop stop;
  stop.registers.vectors.reserve(8192);
  current.vectors.reserve(8192);
  current.rip = rip;
  current.start = &registers;
  current.stop = &stop;
  current.phase = Phase::kBegin;
  asm volatile("int3" ::: "memory", "cc");
  FUZZ_CHECK(current.phase == Phase::kIdle);
  return stop;
}

int vectors_differ(const Registers& a, const Registers& b) {
  const size_t size = std::min(a.vectors.size(), b.vectors.size());
  const auto differs = [&](size_t from, size_t to) {
    to = std::min(to, size);
    if (from >= to || std::memcmp(&a.vectors[from], &b.vectors[from], to - from) == 0) return -1;
    while (a.vectors[from] == b.vectors[from]) ++from;
    return int(from);
  };
  // Control, status, tags; not the last operation; mxcsr, x87, xmm; the rest where there is one.
  for (const auto& [from, to] : {std::pair<size_t, size_t>{0, 6}, {kMxcsr, kLegacyEnd}})
    if (const int at = differs(from, to); at >= 0) return at;
  if (a.vectors.size() <= kHeaderEnd) return -1;
  for (const Part& part : vector_parts())
    if (const int at = differs(part.offset, part.offset + part.size); at >= 0) return at;
  return -1;
}

}  // namespace compmond::fuzz
