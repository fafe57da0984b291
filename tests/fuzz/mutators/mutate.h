// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

// libFuzzer's own mutation, for what has no structure: in place, returns the new size.
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

// What mutators that know the structure of an input share. Inputs of one size may grow.
namespace compmond::fuzz {

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  // Below `n`, which is not 0.
  size_t below(size_t n) { return size_t(engine_()) % n; }
  bool one_in(size_t n) { return below(n) == 0; }
  template <class List>
  auto& of(List& list) {
    return list[below(std::size(list))];
  }
  // A number at which arithmetic goes wrong, or near `known`.
  uint64_t number(uint64_t known) {
    constexpr uint64_t kEdges[] = {0,
                                   1,
                                   0x7f,
                                   0x80,
                                   0xffff,
                                   0x7fffffff,
                                   0x80000000,
                                   0xffffffff,
                                   0x100000000,
                                   uint64_t(1) << 62,
                                   uint64_t(1) << 63,
                                   ~uint64_t(0)};
    switch (below(4)) {
      case 0:
        return of(kEdges);
      case 1:
        return known + below(17) - 8;
      case 2:
        return known ^ uint64_t(1) << below(64);
      default:
        return known << below(8) >> below(8);
    }
  }

 private:
  std::mt19937 engine_;
};

inline std::string mutated(std::string_view bytes, size_t more = 64) {
  std::string out(bytes);
  out.resize(bytes.size() + more);
  out.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(out.data()), bytes.size(), out.size()));
  return out;
}

// What a custom mutator returns: puts `bytes` into the input, unless they are more than it may
// have.
inline size_t as_input(std::string_view bytes, uint8_t* data, size_t size, size_t most) {
  if (bytes.empty() || bytes.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}

}  // namespace compmond::fuzz
