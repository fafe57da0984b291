// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "walk/walker.h"

// A stack that is made by hand, to be walked.
namespace compmond::unwind::test {

using sampling::Frame;
using sampling::Walked;

constexpr sampling::ImageNumber kFile = 3, kUnread = 4;
constexpr uint64_t kBase = 0x10000, kStack = 0x7ffc00001000;

// Files whose rows and bytes are named one by one.
struct Made : CodeInfo {
  std::map<uint64_t, Row> rows;     // each holds up to the next
  std::map<uint64_t, Row> by_code;  // by pc
  std::vector<Rules> all_rules;
  std::map<uint64_t, std::vector<uint8_t>> bytes;

  std::optional<uint64_t> vaddr_of(sampling::ImageNumber image, uint64_t offset) override {
    return image == kFile ? std::optional(offset) : std::nullopt;
  }
  Row row(sampling::ImageNumber, uint64_t vaddr) override {
    auto it = rows.upper_bound(vaddr);
    return it == rows.begin() ? Row{} : (--it)->second;
  }
  Row row_by_code(sampling::ImageNumber, uint64_t pc) override {
    const auto it = by_code.find(pc);
    return it == by_code.end() ? Row{} : it->second;
  }
  const Rules& rules(sampling::ImageNumber, uint32_t number) override { return all_rules[number]; }
  size_t read(sampling::ImageNumber, uint64_t vaddr, std::span<uint8_t> to) override {
    const auto it = bytes.find(vaddr);
    if (it == bytes.end()) return 0;
    const size_t size = std::min(to.size(), it->second.size());
    std::memcpy(to.data(), it->second.data(), size);
    return size;
  }
};

inline Row plain(int32_t offset, uint8_t base = kRsp) {
  Row out{.kind = Row::Kind::kPlain, .cfa_register = base, .cfa_offset = offset};
  out.at.fill(Row::kSame);
  out.at.back() = -8;
  return out;
}

// A stack of words at kStack, in a process whose file lies at kBase.
struct Scene {
  Made code;
  AddressSpace space;
  cm_sample head{};
  std::vector<uint64_t> words;
  std::vector<cm_return> returns;

  Scene() {
    space.map({kBase, kBase + 0x10000, 0, kFile});
    head.registers[kRsp] = kStack;
    code.rows[0x8000] = {.kind = Row::Kind::kOutermost};
    code.rows[0x9000] = {};
  }
  void at(uint64_t vaddr) { head.registers[kPc] = kBase + vaddr; }
  Walked walk() {
    Walked out;
    unwind::walk({&head, std::as_bytes(std::span(words)), returns}, &space, code, out);
    return out;
  }
};

inline std::vector<uint64_t> vaddrs(const Walked& walked) {
  std::vector<uint64_t> out;
  for (const Frame& frame : walked.frames) out.push_back(frame.vaddr);
  return out;
}
using Vaddrs = std::vector<uint64_t>;

constexpr uint64_t kOuter = kBase + 0x8001;  // returns into the outermost function

}  // namespace compmond::unwind::test
