// SPDX-License-Identifier: Apache-2.0
// Call frame information entry by entry, with lengths and places of the common entries that fit;
// the form of an input is in fuzz_unwind.cpp.
#include <string>
#include <vector>

#include "bytes.h"
#include "entries.h"

namespace compmond::fuzz {
namespace {

// A common entry for code with the stack's rules at its first instruction, and a function's.
std::string sound_frames() {
  using namespace std::string_literals;
  const std::string common = "\0\0\0\0\x01\0\x01\x78\x10\x0c\x07\x08\x90\x01\0\0"s;
  const std::string function =
      "\0\0\0\0\0\x10\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\x41\x0e\x10\x86\x02\x43\x0d\x06\0\0\0\0"s;
  std::string out;
  for (const std::string& entry : {common, function}) {
    const auto length = uint32_t(entry.size());
    out.append(reinterpret_cast<const char*>(&length), 4);
    out += entry;
  }
  return out;
}

bool is_common(const std::string& entry, bool in_debug) {
  uint32_t id = 0;
  if (entry.size() < 4) return false;
  std::memcpy(&id, entry.data(), 4);
  return id == (in_debug ? 0xffffffffu : 0u);
}

// Where the common entry of each is: in .eh_frame so many bytes before, in .debug_frame from its
// beginning.
void link(std::vector<std::string>& entries, bool in_debug) {
  uint32_t at = 0, common = 0;
  for (std::string& entry : entries) {
    if (entry.size() >= 4) {
      if (&entry == &entries.front()) {
        const uint32_t id = in_debug ? 0xffffffffu : 0u;
        std::memcpy(entry.data(), &id, 4);
      } else if (!is_common(entry, in_debug)) {
        const uint32_t place = in_debug ? common : at + 4 - common;
        std::memcpy(entry.data(), &place, 4);
      }
      if (is_common(entry, in_debug)) common = at;
    }
    at += 4 + uint32_t(entry.size());
  }
}

}  // namespace
}  // namespace compmond::fuzz

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  using namespace compmond::fuzz;
  Dice dice(seed);
  if (dice.one_in(3)) return LLVMFuzzerMutate(data, size, most);
  Bytes bytes(data, size);
  const auto has = bytes.take<uint8_t>();
  const auto header = bytes.take(bytes.take<uint8_t>());
  const auto frames = bytes.take(bytes.take<uint16_t>());
  const auto rest = bytes.rest();
  auto entries = entries_of(text_of(frames.data(), frames.size()));
  if (entries.empty()) entries = entries_of(sound_frames());
  change_entries(entries, 4, dice);
  if (!dice.one_in(16)) link(entries, has & 2);
  std::string changed = joined(entries, dice);
  changed.resize(std::min<size_t>(changed.size(), UINT16_MAX));
  std::string out;
  out.push_back(char(has));
  out.push_back(char(header.size()));
  out += text_of(header.data(), header.size());
  out.push_back(char(changed.size() & 0xff));
  out.push_back(char(changed.size() >> 8));
  out += changed;
  out += text_of(rest.data(), rest.size());
  return as_input(out, data, size, most);
}
