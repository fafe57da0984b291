// SPDX-License-Identifier: Apache-2.0
#include "surgery/stacks.h"

#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <utility>

namespace compmond::inprocess {
namespace {

constexpr uint64_t kWord = sizeof(uint64_t);
// In a signal's frame, from where its handler returns to, to the stack pointer, the address and the
// segments that were interrupted: the kernel's interface (struct rt_sigframe).
constexpr size_t kStackBefore = 168 / kWord, kInterrupted = 176 / kWord, kSegments = 192 / kWord;
constexpr uint64_t kUserSegments = 0x33, kOfSegments = 0xffff'ffff'ffff;  // cs, gs, fs
constexpr int kMostStacks = 64;  // that handlers of one thread run on

// What a handler returns to: some bytes that have a 15 in them (the number of rt_sigreturn), and
// then a system call.
bool ends_handler(uint64_t at, const ProcessMemory& memory) {
  constexpr std::array<uint8_t, 2> kCall = {0x0f, 0x05};
  std::array<uint8_t, 16> code{};
  if (!memory.read(at, code)) return false;
  const auto call = std::ranges::search(code, kCall).begin();
  return call != code.end() && std::find(code.begin(), call, SYS_rt_sigreturn) != call;
}

// Reads the stacks of threads that stand still.
class Reader {
 public:
  Reader(const ProcessMemory& memory, const Ranges& ranges, const EndOfStack& end_of_stack,
         uint64_t most_bytes)
      : memory_(memory), ranges_(ranges), end_of_stack_(end_of_stack), left_(most_bytes) {}

  bool too_much() const { return too_much_; }

  // A handler that runs on a stack of its own was perhaps called on another one, where more were.
  // A stack ends at the latest where nobody may read on, as at a guard that no mapping shows.
  bool interrupted_in(uint64_t sp, int stacks) {
    sp &= ~(kWord - 1);
    const uint64_t end = std::min(std::max(end_of_stack_(sp), sp), sp + kMostStack);
    too_much_ |= end - sp > left_;
    if (too_much_) return true;
    std::vector<uint64_t> words((end - sp) / kWord);
    const std::span bytes(reinterpret_cast<uint8_t*>(words.data()), words.size() * kWord);
    words.resize(memory_.read_some(sp, bytes) / kWord);
    left_ -= words.size() * kWord;
    if (words.empty()) return true;  // who knows
    for (size_t i = 0; i + kSegments < words.size(); ++i) {
      if ((words[i + kSegments] & kOfSegments) != kUserSegments) continue;
      const uint64_t before = words[i + kStackBefore];
      const bool elsewhere = before < sp || before >= end;
      if (ranges_.has(words[i + kInterrupted])) return true;  // whoever made the handler return
      if (!elsewhere || !ends_handler(words[i], memory_)) continue;
      if (stacks == 0) return true;
      if (interrupted_in(before, stacks - 1)) return true;
    }
    return false;
  }

 private:
  const ProcessMemory& memory_;
  const Ranges& ranges_;
  const EndOfStack& end_of_stack_;
  uint64_t left_;
  bool too_much_ = false;
};

}  // namespace

void Ranges::add(uint64_t at, uint64_t size) {
  const std::pair range(at, at + size);
  ranges_.insert(std::ranges::upper_bound(ranges_, range), range);
  low_ = std::min(low_, at);
  high_ = std::max(high_, at + size);
}

bool Ranges::has(uint64_t address) const {
  if (address < low_ || address >= high_) return false;
  const auto after =
      std::ranges::upper_bound(ranges_, address, {}, &std::pair<uint64_t, uint64_t>::first);
  return after != ranges_.begin() && address < std::prev(after)->second;
}

std::optional<size_t> threads_in(const StoppedThreads& threads, const ProcessMemory& memory,
                                 const Ranges& ranges, const EndOfStack& end_of_stack,
                                 uint64_t most_bytes) {
  Reader reader(memory, ranges, end_of_stack, most_bytes);
  size_t out = 0;
  for (const StoppedThreads::Thread& thread : threads.all()) {
    out += ranges.has(thread.registers.rip) ||
           reader.interrupted_in(thread.registers.rsp, kMostStacks);
    if (reader.too_much()) return std::nullopt;
  }
  return out;
}

}  // namespace compmond::inprocess
