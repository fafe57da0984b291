// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "code/insn.h"
#include "code/memory.h"
#include "elf/image.h"

namespace compmond::inprocess {

// What surrounds the functions of one image: where code begins, where direct jumps and calls lead,
// and which bytes nobody needs. Made once per image, by decoding all of it. One thread.
class CodeMap {
 public:
  explicit CodeMap(const elf::Image& image);  // must outlive this object

  const code::Memory& memory() const { return *memory_; }
  const code::Functions& functions() const { return functions_; }
  // 0: neither its symbol nor unwind information says.
  uint64_t size_of(const elf::Symbol& function) const;
  // A symbol of a function, or what unwind information describes, begins there.
  bool begins(uint64_t vaddr) const;
  // A direct jump or call anywhere leads into (after, last]. Exact in code that symbols or unwind
  // information bound; elsewhere each byte may begin an instruction, so that none is missed.
  bool led_into(uint64_t after, uint64_t last) const;
  // Addresses in [begin, end) that instructions anywhere name as data, by address.
  std::span<const uint64_t> data_in(uint64_t begin, uint64_t end) const;
  // Code or data anywhere names an address in [begin, end), by which control may come there. Data
  // of what is not relocated as it is loaded is not looked at.
  bool named(uint64_t begin, uint64_t end) const;
  // Padding between functions, by address.
  const std::vector<elf::Image::Range>& padding() const { return padding_; }
  // See restartable_code().
  const std::vector<elf::Image::Range>& restartable() const { return restartable_; }
  bool is_restartable(const elf::Image::Range& code) const;  // any of it

 private:
  void sweep(elf::Image::Range code);
  void sweep_each_byte(elf::Image::Range code);
  void know(const code::Step& step);
  void find_padding(const std::vector<elf::Image::Range>& bounded);

  const elf::Image& image_;
  std::unique_ptr<code::Memory> memory_;
  code::Functions functions_;
  std::vector<uint64_t> begins_, targets_, data_;  // sorted
  std::vector<elf::Image::Range> padding_;         // likewise
  std::vector<elf::Image::Range> restartable_;
};

}  // namespace compmond::inprocess
