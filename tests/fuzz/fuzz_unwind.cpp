// SPDX-License-Identifier: Apache-2.0
// unwind::walk on any call frame information, registers and stack: it ends, within its bounds, and
// says the same with rows that were kept. An input is: what the file has (u8, bit 0: .eh_frame_hdr,
// bit 1: the information is in .debug_frame, the others: see probe), bytes of .eh_frame_hdr (u8
// size first), bytes of the information (u16 size first), 17 registers (u64 each, see head_of),
// return addresses that probes took (u8 slot, u64 address each); the rest is the stack, and the
// code.
#include <elf.h>

#include <cstring>
#include <string>
#include <vector>

#include "bytes.h"
#include "check.h"
#include "elf_head.h"
#include "memory_file.h"
#include "unwind/images.h"
#include "walk/walker.h"

namespace compmond::fuzz {
namespace {

// Addresses are offsets in the file, and the process has it at 0.
constexpr uint64_t kText = 0x1000, kTextBytes = 0x1000, kHeader = 0x2000, kFrames = 0x2100;
constexpr uint64_t kStack = 0x7ffd00000000;
constexpr uint64_t kAnonymous = 0x20000, kProbePage = 0x7fffffffe000, kProbeCode = 32;
constexpr sampling::ImageNumber kFile = sampling::kFirstFile;

template <class T>
void put(std::vector<uint8_t>& file, uint64_t at, const T& value) {
  if (file.size() < at + sizeof value) file.resize(at + sizeof value);
  std::memcpy(file.data() + at, &value, sizeof value);
}
void put(std::vector<uint8_t>& file, uint64_t at, std::span<const uint8_t> bytes) {
  if (file.size() < at + bytes.size()) file.resize(at + bytes.size());
  std::ranges::copy(bytes, file.begin() + ptrdiff_t(at));
}

Elf64_Phdr segment(uint32_t type, uint32_t flags, uint64_t at, uint64_t size) {
  return {type, flags, at, at, at, size, size, 1};
}
Elf64_Shdr section(uint32_t name, uint32_t type, uint64_t flags, uint64_t at, uint64_t size) {
  return {name, type, flags, flags ? at : 0, at, size, 0, 0, 1, 0};
}

// A well-formed program around it.
std::vector<uint8_t> file_around(uint8_t has, std::span<const uint8_t> header,
                                 std::span<const uint8_t> frames, std::span<const uint8_t> code) {
  const bool in_debug = has & 2;
  static const std::string kNames("\0.text\0.eh_frame\0.debug_frame\0.strtab", 38);
  std::vector<uint8_t> file;
  put(file, kText, code.first(std::min<size_t>(code.size(), kTextBytes)));
  put(file, kHeader, header);
  put(file, kFrames, frames);
  const uint64_t names = (file.size() + 15) / 16 * 16;
  put(file, names, {reinterpret_cast<const uint8_t*>(kNames.data()), kNames.size()});
  const uint64_t sections = (file.size() + 15) / 16 * 16;
  const Elf64_Shdr all[] = {
      {},
      section(1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, kText, kTextBytes),
      section(in_debug ? 17 : 7, SHT_PROGBITS, in_debug ? 0 : SHF_ALLOC, kFrames, frames.size()),
      section(30, SHT_STRTAB, 0, names, kNames.size())};
  for (size_t i = 0; i < std::size(all); ++i) put(file, sections + i * sizeof all[0], all[i]);
  const Elf64_Ehdr head = elf_head(has & 1 ? 3 : 2, sections, std::size(all));
  put(file, 0, head);
  put(file, sizeof head, segment(PT_LOAD, PF_R | PF_X, kText, kTextBytes));
  put(file, sizeof head + sizeof(Elf64_Phdr),
      segment(PT_LOAD, PF_R, kHeader, kFrames - kHeader + frames.size()));
  if (has & 1)
    put(file, sizeof head + 2 * sizeof(Elf64_Phdr),
        segment(PT_GNU_EH_FRAME, PF_R, kHeader, header.size()));
  return file;
}

// The stack pointer is made to lie near the stack, and the pc in the text, as the kernel's do.
cm_sample head_of(Bytes& bytes) {
  cm_sample head{};
  for (auto& value : head.registers) value = bytes.take<uint64_t>();
  head.registers[unwind::kRsp] = kStack + head.registers[unwind::kRsp] % 64;
  head.registers[unwind::kPc] = kText + head.registers[unwind::kPc] % kTextBytes;
  head.pid = 1;
  return head;
}

// Bits of `has`: how many return addresses were taken (2 to 4), whether the stack shows it (5), and
// whether the thread is in code of probes (6 and 7).
std::vector<cm_return> probe(uint8_t has, Bytes& bytes, cm_sample& head) {
  std::vector<cm_return> returns((has >> 2) & 7);
  for (cm_return& one : returns) one = {kStack + 8 * bytes.take<uint8_t>(), bytes.take<uint64_t>()};
  auto& pc = head.registers[unwind::kPc];
  if (has & 64) pc = (has & 128 ? kProbePage : kAnonymous) + pc % kProbeCode;
  return returns;
}

void show(const std::vector<cm_return>& returns, uint64_t sp, std::vector<uint8_t>& stack) {
  for (const cm_return& one : returns)
    if (one.slot - sp < stack.size() && stack.size() - (one.slot - sp) >= sizeof kProbePage)
      std::memcpy(stack.data() + (one.slot - sp), &kProbePage, sizeof kProbePage);
}

void check(const sampling::Walked& walked, const cm_sample& head) {
  FUZZ_CHECK(!walked.frames.empty() && walked.frames.size() <= unwind::kFrames);
  const sampling::Frame first{kFile, head.registers[unwind::kPc]};
  if (first.vaddr < kText + kTextBytes)
    FUZZ_CHECK(walked.frames[0] == first || walked.frames[0].vaddr == 0);
  FUZZ_CHECK(walked.ended <= sampling::Ended::kBroken);
  const bool complete = walked.ended == sampling::Ended::kComplete;
  FUZZ_CHECK(complete ? walked.stack_top >= head.registers[unwind::kRsp] : walked.stack_top == 0);
}

}  // namespace
}  // namespace compmond::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compmond;
  fuzz::Bytes bytes(data, size);
  const auto has = bytes.take<uint8_t>();
  const auto header = bytes.take(bytes.take<uint8_t>());
  const auto frames = bytes.take(bytes.take<uint16_t>());
  cm_sample head = fuzz::head_of(bytes);
  const std::vector<cm_return> returns = fuzz::probe(has, bytes, head);
  const auto code = bytes.rest();
  std::vector<uint8_t> stack(code.begin(), code.end());
  if (has & 32) fuzz::show(returns, head.registers[unwind::kRsp], stack);

  unwind::Images images;
  images.add(fuzz::kFile, "input", fuzz::file_of(fuzz::file_around(has, header, frames, code)));
  unwind::AddressSpace space;
  space.map({0, 0x10000, 0, fuzz::kFile});
  space.map({fuzz::kAnonymous, 0x30000, 0, sampling::kNoImage});
  sampling::Walked walked, again;
  const sampling::RawSample sample{&head, std::as_bytes(std::span(stack)), returns};
  unwind::walk(sample, &space, images, walked);
  fuzz::check(walked, head);
  unwind::walk(sample, &space, images, again);
  FUZZ_CHECK(again.frames == walked.frames && again.ended == walked.ended);
  return 0;
}
