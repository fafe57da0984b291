// SPDX-License-Identifier: Apache-2.0
// inprocess::relocate: arbitrary instructions run at their place and, relocated, elsewhere, from
// the same start; registers, memory, where it ended and how must be the same.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <vector>

#include "bare_run.h"
#include "bytes.h"
#include "check.h"
#include "patches/relocate.h"
#include "straight_code.h"

namespace compmond::fuzz {
namespace {

constexpr uint64_t kOffset = 1024;   // of code in a page; before it is what jumps out lead to
constexpr uint64_t kTrap = 3;        // of int3
constexpr uint64_t kPageFault = 14;  // the only one that has an address

struct Start {
  Roles roles{};
  Registers registers;
  std::vector<uint64_t> arena;
};

// Of the arena, aligned as often as not, with room on either side.
uint64_t pointer(uint64_t choice) {
  const uint64_t within = BareMachine::kArenaSize / 4 + choice % (BareMachine::kArenaSize / 2);
  return BareMachine::kArena + (choice >> 32 & 1 ? within : within / 64 * 64);
}

Start start_from(uint64_t seed) {
  const BareMachine& machine = BareMachine::get();
  Start out{{}, machine.registers(random_after(seed)), {}};
  for (size_t i = 0; i < kRegisters; ++i) {
    const uint64_t choice = random_after(seed), value = random_after(seed);
    uint64_t& general = out.registers.general[i];
    if (i == size_t(code::kRsp) || choice % 4 < 2) {
      out.roles[i] = Role::kPointer;
      general = i == size_t(code::kRsp) ? pointer(0) + 4096 : pointer(value);
    } else {
      out.roles[i] = choice % 4 == 2 ? Role::kSmall : Role::kAny;
      general = choice % 4 == 2 ? value % 256 : value;
    }
  }
  out.registers.flags |= random_after(seed) & kFlags;
  out.arena.resize(BareMachine::kArenaSize / sizeof(uint64_t));
  std::memcpy(out.arena.data(), random_bytes(seed, BareMachine::kArenaSize).data(),
              BareMachine::kArenaSize);
  return out;
}

// Code that does elsewhere what the original does.
struct Twin {
  uint64_t at = 0;
  std::vector<uint8_t> bytes;
  std::vector<size_t> starts;
};

// Whether an operand of it is out of reach from where it would run.
bool too_far(const code::Insn& insn, uint64_t bias, uint64_t at) {
  for (size_t i = 0; i < insn.raw.operand_count; ++i) {
    const ZydisDecodedOperand& operand = insn.operands[i];
    if (!code::is_memory(operand) || operand.mem.base != ZYDIS_REGISTER_RIP) continue;
    const auto to = int64_t(*code::fixed_address(insn, operand) + bias - (at + insn.length));
    return to != int32_t(to);
  }
  return false;
}

// nullopt: rightly refused.
std::optional<Twin> twin_of(const StraightCode::Placed& original, uint64_t at, uint64_t bias,
                            uint64_t elsewhere) {
  Twin out{elsewhere, {}, {}};
  for (size_t i = 0; i + 1 < original.starts.size(); ++i) {
    const auto bytes = std::span(original.bytes).subspan(original.starts[i]);
    const auto insn = code::decode(bytes, at + original.starts[i] - bias);
    FUZZ_CHECK(insn && insn->length == original.starts[i + 1] - original.starts[i]);
    FUZZ_CHECK(!inprocess::unmovable(*insn));
    out.starts.push_back(out.bytes.size());
    if (!inprocess::relocate(*insn, bytes, bias, elsewhere, out.bytes)) {
      FUZZ_CHECK(out.bytes.size() == out.starts.back());
      FUZZ_CHECK(too_far(*insn, bias, elsewhere + out.bytes.size()));
      return std::nullopt;
    }
  }
  out.starts.push_back(out.bytes.size());
  FUZZ_CHECK(inprocess::append_jump(at + original.starts.back(), elsewhere, out.bytes));
  return out;
}

struct Outcome {
  Stop stop;
  std::vector<uint64_t> arena;
};

Outcome outcome(uint64_t rip, const Start& start) {
  BareMachine& machine = BareMachine::get();
  std::ranges::copy(start.arena, machine.arena().begin());
  Outcome out{machine.run(rip, start.registers), {}};
  out.arena.assign(machine.arena().begin(), machine.arena().end());
  return out;
}

// Number of the instruction that starts at `rip`, in code at `at`.
std::optional<size_t> number_at(uint64_t rip, uint64_t at, const std::vector<size_t>& starts) {
  const auto found = std::ranges::find(starts.begin(), starts.end() - 1, rip - at);
  if (found == starts.end() - 1) return std::nullopt;
  return size_t(found - starts.begin());
}

void print(const char* what, const std::vector<uint8_t>& bytes, const Stop& stop) {
  std::fprintf(stderr, "%s: signal %d, trap %lu, at %#lx:", what, stop.signal, stop.trap, stop.rip);
  for (const uint8_t byte : bytes) std::fprintf(stderr, " %02x", byte);
  std::fputc('\n', stderr);
}

// What of them is not the same, or null.
const char* difference(const Outcome& a, const Outcome& b) {
  const Registers &x = a.stop.registers, &y = b.stop.registers;
  if (a.stop.signal != b.stop.signal || a.stop.trap != b.stop.trap) return "signal";
  if (a.stop.trap == kPageFault &&
      (a.stop.address != b.stop.address || a.stop.error != b.stop.error))
    return "address of the fault";
  if (x.general != y.general) return "general registers";
  if (x.flags != y.flags) return "flags";
  if (vectors_differ(x, y) >= 0) return "vector registers";
  return a.arena == b.arena ? nullptr : "memory";
}

void check(StraightCode& straight, const Start& start, uint64_t at, uint64_t bias,
           uint64_t elsewhere) {
  BareMachine& machine = BareMachine::get();
  while (straight.count() > 0) {
    const StraightCode::Placed original = straight.placed(at);
    const auto twin = twin_of(original, at, bias, elsewhere);
    if (!twin) return;
    machine.write(at / BareMachine::kPage * BareMachine::kPage, at % BareMachine::kPage,
                  original.bytes);
    machine.write(elsewhere / BareMachine::kPage * BareMachine::kPage,
                  elsewhere % BareMachine::kPage, twin->bytes);
    const Outcome here = outcome(at, start);
    const auto stopped = number_at(here.stop.rip, at, original.starts);
    if (here.stop.signal == SIGILL && stopped) {  // not known to this processor
      straight.leave_out(*stopped);
      continue;
    }
    const Outcome there = outcome(elsewhere, start);
    const auto same_stop = stopped == number_at(there.stop.rip, elsewhere, twin->starts);
    // Having jumped on within it, it goes on in the original.
    const bool same_place = here.stop.rip == there.stop.rip || (stopped && same_stop);
    const char* differs = same_place ? difference(here, there) : "place";
    if (differs) {
      std::fprintf(stderr, "%s\n", differs);
      print("here", original.bytes, here.stop);
      print("there", twin->bytes, there.stop);
    }
    FUZZ_CHECK(!differs);
    FUZZ_CHECK(stopped || here.stop.trap == kTrap || here.stop.rip < BareMachine::kPage * 16);
    return;
  }
}

}  // namespace
}  // namespace compmond::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compmond::fuzz;
  Bytes input(data, size);
  const Start start = start_from(input.take<uint64_t>());
  const auto page = input.take<uint8_t>(), offset = input.take<uint8_t>();
  const auto bias = input.take<uint64_t>();
  StraightCode straight(input.rest(), start.roles);
  const uint64_t at = BareMachine::kCode + kOffset + offset;
  const uint64_t elsewhere =
      BareMachine::far_page(page % BareMachine::kFarPages) + kOffset + bias % 512;
  check(straight, start, at, bias, elsewhere);
  return 0;
}
