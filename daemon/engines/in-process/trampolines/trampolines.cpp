// SPDX-License-Identifier: Apache-2.0
#include "trampolines/trampolines.h"

#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "code/insn.h"
#include "patches/relocate.h"
#include "patches/straight.h"
#include "trampolines/recorder.h"

namespace compmond::inprocess {
namespace {

constexpr uint8_t kPush = 0x50, kRdx = 2, kPushHigh = 0x41, kPopRdx = 0x5a, kMovToEdx = 0xba,
                  kCall = 0xe8, kJump = 0xe9, kShortJump = 0xeb, kShortJumpIf = 0x70;

constexpr uint8_t kPushed = 8;  // bytes

void append(std::vector<uint8_t>& code, uint32_t value) {
  for (int i = 0; i < 4; ++i) code.push_back(uint8_t(value >> (8 * i)));
}

// Of a jump or call of 5 bytes; nothing: too far.
std::optional<Trampolines::Write> led(uint8_t opcode, uint64_t at, uint64_t to) {
  const auto by = int64_t(to - (at + Patch::kJump));
  if (by != int32_t(by)) return std::nullopt;
  Trampolines::Write out{.at = at, .size = Patch::kJump, .bytes = {opcode}};
  const auto displacement = int32_t(by);
  std::memcpy(&out.bytes[1], &displacement, sizeof displacement);
  return out;
}

}  // namespace

bool Trampolines::add(uint32_t function, const FunctionPatches& patches) {
  const Mark mark{code_.size(),  sites_.size(),  writes_.size(),
                  twins_.size(), fixups_.size(), stretches_.size()};
  bool entry = true;
  for (const Patch& patch : patches.patches) {
    if (!add(function, patch, std::exchange(entry, false), patches.values)) {
      code_.resize(mark.code);
      sites_.resize(mark.sites);
      writes_.resize(mark.writes);
      twins_.resize(mark.twins);
      fixups_.resize(mark.fixups);
      stretches_.resize(mark.stretches);
      return false;
    }
  }
  return true;
}

bool Trampolines::add(uint32_t function, const Patch& patch, bool entry,
                      std::span<const uint8_t> values) {
  const uint64_t to = here();
  const bool called = patch.kind == PatchKind::kFirstCall;  // as the function's own call was to be
  const uint64_t first = patch.moved.empty() ? patch.at : patch.moved.front().vaddr;
  const uint8_t depth = called ? kPushed : 0;
  for (size_t i = 0; entry && i < values.size(); ++i)
    if (!record({function, Site::Kind::kValue}, first, depth, values[i])) return false;
  if (entry && !record({function, Site::Kind::kEntry, patch.depth}, first, depth)) return false;
  code::CodeReader reader(memory_);
  std::optional<code::Insn> last;
  for (const Patch::Moved& moved : patch.moved) {
    const auto read = reader.at(moved.vaddr);
    const std::vector<uint8_t> bytes(read.begin(), read.end());
    last = code::decode(bytes, moved.vaddr);
    if (!last || last->length != moved.length) std::abort();  // it was planned for other bytes
    if (called)  // the function returns to where it was called
      return go_to(last->target) && write(patch, to);
    if (!move(function, *last, bytes, moved.exit)) return false;
  }
  if (!ends(*last) && !go_to(patch.end())) return false;
  return write(patch, to);
}

bool Trampolines::move(uint32_t function, const code::Insn& insn, std::span<const uint8_t> bytes,
                       bool exit) {
  twins_.push_back({insn.vaddr + place_.bias, here()});
  begin(insn.vaddr, 0);
  return exit ? leave(function, insn, bytes) : do_here(insn, bytes);
}

bool Trampolines::do_here(const code::Insn& insn, std::span<const uint8_t> bytes) {
  const size_t start = code_.size();
  if (!relocate(insn, bytes, place_.bias, place_.at, code_)) return false;
  if (const auto distance = distance_in(insn, code_.size() - start))
    fix(start + *distance, Relative::kToImage);
  return true;
}

// A jump.
bool Trampolines::go_to(uint64_t vaddr) {
  begin(vaddr, 0);
  if (!append_jump(vaddr + place_.bias, place_.at, code_)) return false;
  fix(code_.size() - sizeof(uint32_t), Relative::kToImage);
  return true;
}

// One that leaves only under a condition must not record before it is known to: what is below %rsp
// may still be the function's.
bool Trampolines::leave(uint32_t function, const code::Insn& insn, std::span<const uint8_t> bytes) {
  if (insn.flow == code::Flow::kRet)
    return record({function, Site::Kind::kExit, 0, insn.vaddr}, insn.vaddr, 0) &&
           do_here(insn, bytes);
  if (insn.flow != code::Flow::kCondJump)
    return record_jump(function, insn.vaddr) && do_here(insn, bytes);
  code_.push_back(uint8_t(kShortJumpIf | (insn.condition ^ 1)));
  code_.push_back(0);
  const size_t passed = code_.size();
  if (!record_jump(function, insn.vaddr) || !go_to(insn.target)) return false;
  code_[passed - 1] = uint8_t(code_.size() - passed);
  return true;
}

// What it leads to may be written by hand, and find below %rsp what this one left there for it.
bool Trampolines::record_jump(uint32_t function, uint64_t vaddr) {
  constexpr uint8_t kRedZone = 128;
  constexpr std::array<uint8_t, 5> kDown = {0x48, 0x8d, 0x64, 0x24, 0x80};         // lea: no flags
  constexpr std::array<uint8_t, 8> kUp = {0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0};  // likewise
  begin(vaddr, 0);
  code_.insert(code_.end(), kDown.begin(), kDown.end());
  if (!record({function, Site::Kind::kExit, kRedZone, vaddr}, vaddr, kRedZone)) return false;
  code_.insert(code_.end(), kUp.begin(), kUp.end());
  begin(vaddr, 0);
  return true;
}

void Trampolines::begin(uint64_t vaddr, uint8_t depth) {
  stretches_.push_back({here(), vaddr + place_.bias, depth});
}

// Of a thread that is before that instruction, with so many bytes on its stack since. `value`: of
// this register.
bool Trampolines::record(Site site, uint64_t vaddr, uint8_t depth, int value) {
  const uint8_t before = depth;
  sites_.push_back(site);
  begin(vaddr, depth);
  code_.push_back(kPush + kRdx);
  depth += kPushed;
  begin(vaddr, depth);
  if (value >= 8) code_.push_back(kPushHigh);
  if (value >= 0) {
    code_.push_back(uint8_t(kPush + value % 8));
    depth += kPushed;
    begin(vaddr, depth);
  }
  code_.push_back(kMovToEdx);
  fix(code_.size(), Relative::kSite);
  append(code_, place_.first_site + uint32_t(sites_.size()) - 1);
  const auto call = led(kCall, here(), place_.recorder + (value >= 0 ? recorder_of_value() : 0));
  if (!call) return false;
  code_.insert(code_.end(), call->bytes.begin(), call->bytes.end());
  fix(code_.size() - sizeof(uint32_t), Relative::kToRecorder);
  for (; depth > before; depth -= kPushed) {
    code_.push_back(kPopRdx);
    begin(vaddr, uint8_t(depth - kPushed));
  }
  return true;
}

bool Trampolines::write(const Patch& patch, uint64_t to) {
  const uint64_t at = patch.at + place_.bias;
  const uint64_t from = patch.springboard ? patch.springboard + place_.bias : at;
  const auto jump = led(patch.kind == PatchKind::kFirstCall ? kCall : kJump, from, to);
  if (!jump) return false;
  writes_.push_back(*jump);
  if (!patch.springboard) return true;
  const auto by = int64_t(from - (at + Patch::kShortJump));
  if (by != int8_t(by)) std::abort();  // it was planned within reach
  writes_.push_back({.at = at, .size = Patch::kShortJump, .bytes = {kShortJump, uint8_t(by)}});
  return true;
}

}  // namespace compmond::inprocess
