// SPDX-License-Identifier: Apache-2.0
#include "surgery/stacks.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <utility>

namespace compmond::inprocess {
namespace {

constexpr uint64_t kWord = sizeof(uint64_t);
// In a signal's frame, from where its handler returns to, to the address that was interrupted; both
// are the kernel's interface (struct rt_sigframe).
constexpr size_t kInterrupted = 176 / kWord;

// What a handler returns to: mov $15,%rax (or %eax); syscall.
bool ends_handler(uint64_t at, const ProcessMemory& memory) {
  constexpr std::array<uint8_t, 9> kLong = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
  constexpr std::array<uint8_t, 7> kShort = {0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05};
  std::array<uint8_t, 9> code{};
  return memory.read(at, code) &&
         (code == kLong || std::equal(kShort.begin(), kShort.end(), code.begin()));
}

bool interrupted_in(uint64_t sp, uint64_t end, const ProcessMemory& memory, const Ranges& ranges) {
  std::vector<uint64_t> words;
  sp &= ~(kWord - 1);
  end = std::min(std::max(end, sp), sp + kMostStack);
  words.resize((end - sp) / kWord);
  const std::span bytes(reinterpret_cast<uint8_t*>(words.data()), words.size() * kWord);
  if (!memory.read(sp, bytes)) return true;  // who knows
  for (size_t i = 0; i + kInterrupted < words.size(); ++i)
    if (ranges.has(words[i + kInterrupted]) && ends_handler(words[i], memory)) return true;
  return false;
}

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

size_t threads_in(const StoppedThreads& threads, const ProcessMemory& memory, const Ranges& ranges,
                  const EndOfStack& end_of_stack) {
  return size_t(std::ranges::count_if(threads.all(), [&](const StoppedThreads::Thread& thread) {
    const uint64_t sp = thread.registers.rsp;
    return ranges.has(thread.registers.rip) || interrupted_in(sp, end_of_stack(sp), memory, ranges);
  }));
}

}  // namespace compmond::inprocess
